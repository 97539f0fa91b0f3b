// Of the index nothing moves but from light to dark.

prepareTheme();
document.documentElement.dataset.ready = "yes";
