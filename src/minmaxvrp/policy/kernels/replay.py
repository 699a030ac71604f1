"""Log-probabilities of given rollouts and their gradient in one compiled pass, sixteen steps at a time.

The compiled twin of `teacher_forcing._forced_chunk` and its backward pass, to which tests compare it. All
steps of a rollout are known, so sixteen steps of one rollout are the sixteen numbers of a vector; customers
that none of them sees are left out. `replay_arrays` is what it reads and writes; `compiled_replay` calls it.
"""

import numpy as np

from ...jit import njit
from ...jit.simd import (
    WIDTH,
    exp2,
    fma,
    fma_vectors,
    load,
    maximum,
    select_greater,
    splat,
    sqrt,
    store,
    transpose,
)
from .arithmetic import BLOCK, LOG2_E, MOST_EXPONENT, ONE, TWO, ZERO
from .products import add_outer, combine, dots, fill_up, padded_length, small_exp2, softmax, softmax_gradient
from .replay_arrays import (
    Choices,
    ReplayTables,
    ReplayWorkspace,
    Steps,
)
from .rollout_arrays import FORBIDDEN, Floats

HALF = np.float32(0.5)


@njit
def replay(
    tables: ReplayTables,
    steps: Steps,
    choices: Choices,
    work: ReplayWorkspace,
    b: int,
    grad: ReplayTables,
    log_p: Floats,
) -> None:
    """Write the log-probabilities of instance b to `log_p` [B, K, T] and add their gradient to `grad`."""
    num_rollouts, num_steps = steps.current.shape[1:]
    for k in range(num_rollouts):
        for t in range(0, num_steps, WIDTH):
            _form_queries(tables, steps, work, b, k, t)
            num, num_open = _list_tokens(steps, choices, work, b, k, t)
            padded = fill_up(work.rows, num)
            _attend(tables, choices, work, b, num, padded, steps.depots.shape[2])
            if choices.chooses_start:
                _close_customers(steps, work, b, k, t, num - steps.depots.shape[2])
            _score(tables, steps, choices, work, b, k, t, num_open, grad, log_p)
            _attend_back(tables, work, b, num, padded, num_open, grad)
            _add_query_gradient(steps, work, b, k, t, grad)


@njit
def _form_queries(tables: ReplayTables, steps: Steps, work: ReplayWorkspace, b: int, k: int, t: int) -> None:
    """Fill the queries of steps t to t + 15, as rows and across."""
    embed, num_features = tables.fixed.shape[1], steps.features.shape[3]
    fixed, at_node = tables.fixed[b], tables.at_node[b].reshape(-1)
    by_vehicle, weight = tables.by_vehicle[b].reshape(-1), tables.feature_weight.reshape(-1)
    out, across = work.query.along, work.query.across
    has_start = steps.start.shape[2] > 0
    for step in range(WIDTH):
        current, vehicle = steps.current[b, k, t + step], steps.vehicle[b, k, t + step]
        for c in range(0, embed, WIDTH):
            q = load(fixed, c) + load(at_node, current * embed + c) + load(by_vehicle, vehicle * embed + c)
            if has_start:
                q = q + load(by_vehicle, steps.start[b, k, t + step] * embed + c)
            for f in range(num_features):
                q = fma(q, steps.features[b, k, t + step, f], load(weight, f * embed + c))
            store(out, step * embed + c, q)
        work.x[step] = steps.x[b, current]
        work.y[step] = steps.y[b, current]
        choosing = steps.start_nearness.shape[2] > 0 and steps.customers[b, k, t + step] < ZERO
        work.nearest[step] = ZERO if choosing else steps.nearest[b, current]
        work.step[step] = np.float32(t + step)
    for c in range(0, embed, WIDTH):
        transpose(out, c, embed, across, c * WIDTH)


@njit
def _list_tokens(
    steps: Steps, choices: Choices, work: ReplayWorkspace, b: int, k: int, t: int
) -> tuple[int, int]:
    """List the tokens that any step sees, with masks; returns their number, and how many may be chosen."""
    num_depots, num_customers = steps.depots.shape[2], steps.visit.shape[2]
    embed = len(work.query.across) // WIDTH
    pairs, mask, rows = choices.num_pairs, work.mask, work.rows
    clock, zero, forbidden = load(work.step, 0), splat(ZERO), splat(FORBIDDEN)
    num = 0
    for j in range(num_customers):
        when = steps.visit[b, k, j]
        picked = steps.visit[b, k, j - pairs] if 0 < pairs <= j else -1
        if choices.hides_visited and (when < t or picked >= t + WIDTH - 1):
            continue
        left = select_greater(splat(np.float32(when) + HALF), clock, zero, forbidden)
        if picked >= 0:
            left = left + select_greater(clock, splat(np.float32(picked) + HALF), zero, forbidden)
        store(mask, num * WIDTH, left)
        rows[num] = (num_depots + j) * embed
        num += 1
    num_open = num
    for closed in range(2):
        for j in range(num_depots):
            best = FORBIDDEN
            for step in range(WIDTH):
                best = max(best, steps.depots[b, k, j, t + step])
            if (best < ZERO) == (closed == 1):
                store(mask, num * WIDTH, load(steps.depots[b, k, j], t))
                rows[num] = j * embed
                num += 1
        if closed == 0:
            num_open = num
    return num, num_open


@njit
def _close_customers(steps: Steps, work: ReplayWorkspace, b: int, k: int, t: int, num: int) -> None:
    """Forbid customers, which are listed first, where a start is to be chosen; the glimpse sees them."""
    starting = load(steps.customers[b, k], t)
    for i in range(num):
        store(work.mask, i * WIDTH, load(work.mask, i * WIDTH) + starting)


@njit
def _attend(
    tables: ReplayTables,
    choices: Choices,
    work: ReplayWorkspace,
    b: int,
    num: int,
    padded: int,
    num_depots: int,
) -> None:
    """Fill the attention's weights and the glimpse."""
    keys, values = tables.glimpse_key[b].reshape(-1), tables.glimpse_value[b].reshape(-1)
    query, glimpse = work.query.across, work.glimpse.across
    rows, mask = work.rows, work.mask
    for head in range(work.weights.shape[0]):
        weights, first = work.weights[head], head * WIDTH
        dots(keys[first:], rows, padded, WIDTH, query, first, weights)
        if choices.hides_visited:
            for i in range(num - num_depots):
                store(weights, i * WIDTH, load(weights, i * WIDTH) + load(mask, i * WIDTH))
        softmax(weights, num, padded)
        for c in range(first, first + WIDTH):
            store(glimpse, c * WIDTH, splat(ZERO))
        combine(values, rows, num, first, weights, glimpse, first)
        combine(values, rows, num, first + BLOCK, weights, glimpse, first + BLOCK)
    _transpose_steps(glimpse, work.glimpse.along, tables.fixed.shape[1], work.square)


@njit
def _score(
    tables: ReplayTables,
    steps: Steps,
    choices: Choices,
    work: ReplayWorkspace,
    b: int,
    k: int,
    t: int,
    num: int,
    grad: ReplayTables,
    log_p: Floats,
) -> None:
    """From glimpses to log-probabilities, and the gradient along the scores and the keys of the logits."""
    embed, scores, rows = tables.fixed.shape[1], work.scores, work.rows
    padded = padded_length(num)
    keys = tables.logit_key[b].reshape(-1)
    dots(keys, rows, padded, embed, work.glimpse.across, 0, scores)
    if choices.biased:
        _add_nearness(tables, steps, work, b, k, t, num)
    one, two, zero, peak = splat(ONE), splat(TWO), splat(ZERO), splat(FORBIDDEN)
    clip, most, double = splat(np.float32(choices.clip)), splat(MOST_EXPONENT), splat(TWO * LOG2_E)
    for i in range(num):  # C · tanh(score), the mask on top
        exponent = maximum(zero - load(scores, i * WIDTH) * double, zero - most)
        tanh = two / (one + exp2(zero - maximum(zero - exponent, zero - most))) - one
        store(scores, i * WIDTH, tanh)
        peak = maximum(peak, tanh * clip + load(work.mask, i * WIDTH))
    total, picked = zero, zero
    action, natural = load(steps.chosen[b, k], t), splat(LOG2_E)
    half = splat(HALF)
    for i in range(num):
        logit = load(scores, i * WIDTH) * clip + load(work.mask, i * WIDTH)
        total = total + small_exp2((logit - peak) * natural)
        token = splat(np.float32(rows[i] // embed))
        is_it = select_greater(action + half, token, select_greater(token + half, action, one, zero), zero)
        picked = picked + is_it * (logit - peak)
    store(work.result, 0, total)
    for step in range(WIDTH):
        work.result[step] = np.log(work.result[step])
    store(log_p[b, k], t, picked - load(work.result, 0))
    weight, grad_scalar = load(steps.weight[b, k], t), zero
    share = weight * clip
    for i in range(num):  # weight · C · (1 − tanh²) · (chosen − p)
        tanh = load(scores, i * WIDTH)
        chance = small_exp2((tanh * clip + load(work.mask, i * WIDTH) - peak) * natural) / total
        token = splat(np.float32(rows[i] // embed))
        is_it = select_greater(action + half, token, select_greater(token + half, action, one, zero), zero)
        slope = share * (one - tanh * tanh) * (is_it - chance)
        store(scores, i * WIDTH, slope)
        if choices.biased:
            grad_scalar = fma_vectors(grad_scalar, slope, load(work.near, i * WIDTH))
    for i in range(num, padded):
        store(scores, i * WIDTH, zero)
    store(work.result, 0, grad_scalar)
    for step in range(WIDTH):
        grad.distance_scalar[b] += work.result[step]
    grad_rows = grad.logit_key[b].reshape(-1)
    for c in range(0, embed, WIDTH):
        add_outer(scores, rows, num, work.glimpse.along, c, embed, grad_rows, c)


@njit
def _add_nearness(
    tables: ReplayTables, steps: Steps, work: ReplayWorkspace, b: int, k: int, t: int, num: int
) -> None:
    """Add the distance bias to the scores of the tokens listed; keep the nearness."""
    embed, num_depots = tables.fixed.shape[1], steps.depots.shape[2]
    x, y, scale, zero = load(work.x, 0), load(work.y, 0), load(work.nearest, 0), splat(ZERO)
    factor = splat(tables.distance_scalar[0])
    for i in range(num):
        token = work.rows[i] // embed
        dx, dy = x - splat(steps.x[b, token]), y - splat(steps.y[b, token])
        near = zero - sqrt(dx * dx + dy * dy) * scale
        if token < num_depots and steps.start_nearness.shape[2] > 0:
            near = near + load(steps.start_nearness[b, k, token], t)
        store(work.near, i * WIDTH, near)
        store(work.scores, i * WIDTH, fma_vectors(load(work.scores, i * WIDTH), factor, near))


@njit
def _attend_back(
    tables: ReplayTables,
    work: ReplayWorkspace,
    b: int,
    num: int,
    padded: int,
    num_open: int,
    grad: ReplayTables,
) -> None:
    """From the gradient along the scores to that along glimpse, keys, values and queries."""
    embed, rows, slopes = tables.fixed.shape[1], work.rows, work.slopes
    keys, values = tables.glimpse_key[b].reshape(-1), tables.glimpse_value[b].reshape(-1)
    grad_key, grad_value = grad.glimpse_key[b].reshape(-1), grad.glimpse_value[b].reshape(-1)
    logits = tables.logit_key[b].reshape(-1)
    grad_glimpse, grad_query = work.grad_glimpse.across, work.grad_query.across
    along, glimpse = work.grad_glimpse.along, work.glimpse.across
    for c in range(embed):
        store(grad_glimpse, c * WIDTH, splat(ZERO))
        store(grad_query, c * WIDTH, splat(ZERO))
    for c in range(0, embed, BLOCK):
        combine(logits, rows, num_open, c, work.scores, grad_glimpse, c)
    _transpose_steps(grad_glimpse, along, embed, work.square)
    for head in range(work.weights.shape[0]):
        weights, first = work.weights[head], head * WIDTH
        dots(values[first:], rows, padded, WIDTH, grad_glimpse, first, slopes)
        mean = splat(ZERO)
        for c in range(first, first + WIDTH):
            mean = fma_vectors(mean, load(glimpse, c * WIDTH), load(grad_glimpse, c * WIDTH))
        softmax_gradient(weights, num, padded, mean, slopes)
        add_outer(weights, rows, num, along, first, embed, grad_value, first)
        add_outer(slopes, rows, num, work.query.along, first, embed, grad_key, first)
        combine(keys, rows, num, first, slopes, grad_query, first)
        combine(keys, rows, num, first + BLOCK, slopes, grad_query, first + BLOCK)
    _transpose_steps(grad_query, work.grad_query.along, embed, work.square)


@njit
def _transpose_steps(across: Floats, along: Floats, embed: int, square: Floats) -> None:
    """[E, 16] as [16, E]; `square` is scratch for sixteen by sixteen numbers."""
    for c in range(0, embed, WIDTH):
        transpose(across, c * WIDTH, WIDTH, square, 0)
        for step in range(WIDTH):
            store(along, step * embed + c, load(square, step * WIDTH))


@njit
def _add_query_gradient(
    steps: Steps, work: ReplayWorkspace, b: int, k: int, t: int, grad: ReplayTables
) -> None:
    """Add the gradient along the queries to that along what they were made of."""
    embed, num_features = grad.fixed.shape[1], steps.features.shape[3]
    fixed, at_node = grad.fixed[b], grad.at_node[b].reshape(-1)
    by_vehicle, weight = grad.by_vehicle[b].reshape(-1), grad.feature_weight[b].reshape(-1)
    source = work.grad_query.along
    for step in range(WIDTH):
        node = steps.current[b, k, t + step] * embed
        vehicle = steps.vehicle[b, k, t + step] * embed
        for c in range(0, embed, WIDTH):
            q = load(source, step * embed + c)
            store(fixed, c, load(fixed, c) + q)
            store(at_node, node + c, load(at_node, node + c) + q)
            store(by_vehicle, vehicle + c, load(by_vehicle, vehicle + c) + q)
            if steps.start.shape[2] > 0:
                start = steps.start[b, k, t + step] * embed + c
                store(by_vehicle, start, load(by_vehicle, start) + q)
            for f in range(num_features):
                place = f * embed + c
                store(weight, place, fma(load(weight, place), steps.features[b, k, t + step, f], q))
