"""Questions that fit more than one wrong forward pass."""

PRODUCT = "Which axis of the matrix does its input run along, the first or the second?"
READ = "Which states and inputs stand in the equation?"
PLUS = "What is added to the products before the nonlinearity?"
