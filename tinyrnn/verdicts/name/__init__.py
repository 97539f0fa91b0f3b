"""What the mistake is: cells recognised, wrong numbers matched with known wrong lines, differences put into words."""
