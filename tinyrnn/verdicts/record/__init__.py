"""What happens in both passes: every named value noted, and what a small change of one does to the loss."""
