"""Optimisers' steps as learners write them: with a dict of settings and state, with all as arguments, in place."""

import numpy as np


def sgd(w, dw, config):
    config.setdefault("learning_rate", 1e-2)
    w = w - config["learning_rate"] * dw
    return w, config


def sgd_momentum(w, dw, config):
    lr = config.get("learning_rate", 1e-2)
    mu = config.get("momentum", 0.9)
    v = config.get("velocity", np.zeros_like(w))
    v = mu * v - lr * dw
    next_w = w + v
    config["velocity"] = v
    return next_w, config


def momentum_step(param, grad, velocity, lr, momentum):
    velocity = momentum * velocity + lr * grad
    param = param - velocity
    return param, velocity


def nesterov(w, dw, v, lr, mu):
    v_prev = v
    v = mu * v - lr * dw
    w = w - mu * v_prev + (1 + mu) * v
    return w, v


def rmsprop(w, dw, config=None):
    lr, rho, eps = config["lr"], config["decay_rate"], config["epsilon"]
    config.setdefault("cache", np.zeros_like(w))
    config["cache"] = rho * config["cache"] + (1 - rho) * dw**2
    next_w = w - lr * dw / (np.sqrt(config["cache"]) + eps)
    return next_w, config


def rmsprop_in_place(param, grad, s, lr=1e-3, rho=0.9, eps=1e-8):
    s *= rho
    s += (1 - rho) * grad * grad
    param -= lr * grad / (np.sqrt(s) + eps)


def rmsprop_epsilon_inside(p, g, v, lr, rho, eps):
    v = rho * v + (1 - rho) * g**2
    p = p - lr * g / np.sqrt(v + eps)
    return p, v


def adam(w, dw, config):
    lr, eps = config["learning_rate"], config["epsilon"]
    beta1, beta2 = config["beta1"], config["beta2"]
    config["t"] += 1
    config["m"] = beta1 * config["m"] + (1 - beta1) * dw
    mt = config["m"] / (1 - beta1 ** config["t"])
    config["v"] = beta2 * config["v"] + (1 - beta2) * (dw**2)
    vt = config["v"] / (1 - beta2 ** config["t"])
    next_w = w - lr * mt / (np.sqrt(vt) + eps)
    return next_w, config


def adam_step(p, g, m, v, t, lr, beta1, beta2, eps):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    p = p - lr * m_hat / (np.sqrt(v_hat) + eps)
    return p, m, v


def adam_in_place(theta, grad, m_t, v_t, step, alpha=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8):
    m_t *= beta_1
    m_t += (1 - beta_1) * grad
    v_t *= beta_2
    v_t += (1 - beta_2) * grad**2
    m_unbiased = m_t / (1 - beta_1 ** (step + 1))
    v_unbiased = v_t / (1 - beta_2 ** (step + 1))
    theta -= alpha * m_unbiased / (np.sqrt(v_unbiased) + epsilon)


def adam_epsilon_hat(p, g, m, v, t, lr, beta1, beta2, eps):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    rate = lr * np.sqrt(1 - beta2**t) / (1 - beta1**t)
    p = p - rate * m / (np.sqrt(v) + eps)
    return p, m, v
