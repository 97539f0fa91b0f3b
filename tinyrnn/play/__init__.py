"""Pages to play with: networks that a browser computes anew, forwards and backwards, when anything is changed."""
