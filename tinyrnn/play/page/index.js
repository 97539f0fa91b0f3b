prepareTheme();
document.documentElement.dataset.ready = "yes";
