"""The differentiation of model C: values bit for bit, slopes against central differences,
dependencies by perturbation."""

import ctypes
import os
import re
import tempfile
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis.strategies import randoms

from commands import printed
from generator.differentiate import SubsetError, read_model

REPOSITORY = Path(__file__).resolve().parents[2]

FLAGS = "-std=c99 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fPIC -shared".split()

HEADER = """\
#ifndef SNIPPET_MODEL_H
#define SNIPPET_MODEL_H
typedef struct { double a; double b; double c[3]; double z_start; double w_start; } Parameters;
typedef struct { double N; double v; double n[3]; } Inputs;
typedef struct { double z; double w; } States;
typedef struct { double F; double G[2]; } Outputs;
typedef struct { int mode; } Modes;
enum { MODE_STICK = 1, MODE_SLIP = 2 };
enum { N_STATES = 2 };
#define MODEL_NAME "Snippet"
#ifdef BRISTLE_TABLES
#include "fmi2/rule.h"
static const char *const real_names[] = {"a"};
#endif
#endif
"""
KNOWNS = ["p.a", "p.b", "p.c[0]", "p.c[1]", "p.c[2]", "p.z_start", "p.w_start"]
KNOWNS += ["u.N", "u.v", "u.n[0]", "u.n[1]", "u.n[2]", "x.z", "x.w"]
UNKNOWNS = ["dx.z", "dx.w", "y.F", "y.G[0]", "y.G[1]"]
HEAD = (
    "static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,"
    " States *dx, Outputs *y) {"
)

DRIVER = """\
#include "Snippet.h"
#include "models/Snippet.c"
#include "Snippet_slopes.c"
void values(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx,
    Outputs *y);
void slopes(const Parameters *p, const Parameters *ps, const Inputs *u, const Inputs *us,
    const States *x, const States *xs,
            const Modes *m, States *dx, States *dxs, Outputs *y, Outputs *ys);
void values(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx,
    Outputs *y) {
    evaluate(p, u, x, m, dx, y);
}
void slopes(const Parameters *p, const Parameters *ps, const Inputs *u, const Inputs *us,
    const States *x, const States *xs,
            const Modes *m, States *dx, States *dxs, Outputs *y, Outputs *ys) {
    evaluate_slopes(p, ps, u, us, x, xs, m, dx, dxs, y, ys);
}
void state_slopes(const Parameters *p, const Inputs *u, const States *x, const States *xs,
    const Modes *m, States *dx, States *dxs,
                  Outputs *y, Outputs *ys);
void state_slopes(const Parameters *p, const Inputs *u, const States *x, const States *xs,
    const Modes *m, States *dx, States *dxs,
                  Outputs *y, Outputs *ys) {
    evaluate_state_slopes(p, u, x, xs, m, dx, dxs, y, ys);
}
"""
INITIALIZE_DRIVER = """\
void start_values(const Parameters *p, const Inputs *u, States *x);
void start_slopes(const Parameters *p, const Parameters *ps, const Inputs *u, const Inputs *us,
    States *x, States *xs);
void start_values(const Parameters *p, const Inputs *u, States *x) {
    initialize(p, u, x);
}
void start_slopes(const Parameters *p, const Parameters *ps, const Inputs *u, const Inputs *us,
    States *x, States *xs) {
    initialize_slopes(p, ps, u, us, x, xs);
}
"""


def read(folder, text, headers=None):
    include = folder / "fmu_src"
    (include / "models").mkdir(parents=True)
    (include / "models" / "Snippet.c").write_text(text)
    for name, content in (headers or {}).items():
        (include / name).parent.mkdir(exist_ok=True)
        (include / name).write_text(content)
    return read_model(include / "models" / "Snippet.c", include, HEADER)


class Snippet:
    """A model compiled with its slopes. All structs are plain blocks of doubles."""

    def __init__(self, folder, text, headers=None, flags=()):
        self.code = read(folder, text, headers)
        (folder / "Snippet.h").write_text(HEADER)
        (folder / "Snippet_slopes.c").write_text(self.code.slopes)
        driver = DRIVER + (INITIALIZE_DRIVER if "initialize" in self.code.functions else "")
        (folder / "driver.c").write_text(driver)
        library = folder / "snippet.so"
        compiler = [os.environ.get("CC", "cc"), *FLAGS, *flags]
        folders = [f"-I{folder}", f"-I{folder / 'fmu_src'}"]
        printed(*compiler, *folders, folder / "driver.c", "-o", library, "-lm")
        self.library = ctypes.CDLL(str(library))

    def call(self, name, *blocks):
        getattr(self.library, name)(*(ctypes.c_void_p(b.ctypes.data) for b in blocks))

    def values(self, k, mode):
        dx, y = np.full(2, np.nan), np.full(3, np.nan)
        self.call("values", *split(k), np.array([mode], dtype=np.int32), dx, y)
        return np.concatenate([dx, y])

    def slopes(self, k, d, mode):
        dx, dxs, y, ys = (np.full(n, np.nan) for n in (2, 2, 3, 3))
        (p, u, x), (ps, us, xs) = split(k), split(d)
        self.call("slopes", p, ps, u, us, x, xs, np.array([mode], dtype=np.int32), dx, dxs, y, ys)
        return np.concatenate([dx, y]), np.concatenate([dxs, ys])

    def state_slopes(self, k, d, mode):
        """Returns values and slopes along the states' part of the direction."""
        dx, dxs, y, ys = (np.full(n, np.nan) for n in (2, 2, 3, 3))
        (p, u, x), (_, _, xs) = split(k), split(d)
        self.call("state_slopes", p, u, x, xs, np.array([mode], dtype=np.int32), dx, dxs, y, ys)
        return np.concatenate([dx, y]), np.concatenate([dxs, ys])

    def start_values(self, k, mode):
        p, u, _ = split(k)
        x = p[5:7].copy()
        self.call("start_values", p, u, x)
        return x

    def start_slopes(self, k, d, mode):
        (p, u, _), (ps, us, _) = split(k), split(d)
        x, xs = p[5:7].copy(), ps[5:7].copy()
        self.call("start_slopes", p, ps, u, us, x, xs)
        return x, xs


def split(k):
    return k[:7].copy(), k[7:12].copy(), k[12:14].copy()


def central_difference(function, k, d):
    """Takes differences with two steps, so that a kink between the points shows: the difference of
    both is the uncertainty."""
    coarse, fine = ((function(k + h * d) - function(k - h * d)) / (2 * h) for h in (2e-5, 1e-5))
    return (4 * fine - coarse) / 3, np.abs(fine - coarse)


def check(values, slopes, unknowns, dependencies, points=40, minimal=True):
    """Checks values bit for bit, slopes, and dependencies: true and, in a program without
    cancelling terms, minimal, as each has an effect at some point."""
    random = np.random.default_rng(1)
    seen = {name: set() for name in unknowns}
    smooth = 0
    for turn in range(points):
        mode = turn % 3
        k = random.uniform(-2, 2, len(KNOWNS))
        d = random.uniform(-1, 1, len(KNOWNS))
        value = values(k, mode)
        value_too, slope = slopes(k, d, mode)
        assert value.tobytes() == value_too.tobytes()
        assert np.isfinite(slope).all()
        expected, doubt = central_difference(lambda q: values(q, mode), k, d)
        if (
            doubt < 1e-4 * (1 + np.abs(expected))
        ).all():  # otherwise a jump or kink lies between the points
            smooth += 1
            np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-7)
        for i, known in enumerate(KNOWNS):
            moved = k.copy()
            moved[i] = random.uniform(-3, 3)
            alone = np.zeros(len(KNOWNS))
            alone[i] = 1
            for name, a, b, s in zip(
                unknowns, value, values(moved, mode), slopes(k, alone, mode)[1]
            ):
                if a != b:
                    seen[name].add(known)
                assert s == 0 or known in dependencies[name]
    assert smooth > points // 2 or not minimal
    for name in unknowns:
        assert seen[name] == dependencies[name] if minimal else seen[name] <= dependencies[name], (
            name
        )


def check_snippet(folder, text, headers=None):
    snippet = Snippet(folder, text, headers)
    check(snippet.values, snippet.slopes, UNKNOWNS, snippet.code.dependencies)
    check_along_states(snippet)
    return snippet


def check_along_states(snippet):
    """Checks that along the states alone values are the same bit for bit and slopes those of the
    general function: only products with zero are left out."""
    random = np.random.default_rng(2)
    for turn in range(20):
        k, d = random.uniform(-2, 2, len(KNOWNS)), np.zeros(len(KNOWNS))
        d[-2:] = random.uniform(-1, 1, 2)
        value, slope = snippet.state_slopes(k, d, turn % 3)
        assert value.tobytes() == snippet.values(k, turn % 3).tobytes()
        np.testing.assert_array_equal(slope, snippet.slopes(k, d, turn % 3)[1])


def model(body, before=""):
    """Makes a model that sets what the body sets; all else is zero."""
    rest = {
        "dx->z": ["dx->z"],
        "dx->w": ["dx->w"],
        "y->F": ["y->F"],
        "y->G": ["y->G[0]", "y->G[1]"],
    }
    lines = [f"(void){name};" for name in "pumx" if not re.search(rf"\b{name}\b", body)]
    lines += [
        f"{place} = 0;" for name, places in rest.items() if name not in body for place in places
    ]
    inner = textwrap.indent("\n".join([*lines, textwrap.dedent(body).strip()]), "    ")
    return (
        f'#include "Snippet.h"\n#include <math.h>\n{textwrap.dedent(before)}\n{HEAD}\n{inner}\n}}\n'
    )


CONSTRUCTS = {  # body of evaluate, or with the code before it
    "sum and difference": "y->F = p->a + u->v - (x->z - u->N) - -x->w;",
    "product with constants": "y->F = 2 * u->v * x->z + u->v * 3 - 1.5 * -p->a * 2;",
    "quotients": "y->F = u->v / (4 + x->z) / 3 - 2 / (5 + p->a) + p->b / -(3 + u->N);",
    "association": "y->F = p->a - (p->b - (u->v - x->z)) * (x->w / (3 * (u->N + 4)));",
    "whole numbers": """
        const int i = 7;
        y->F = i * u->v / 2 + u->v * (i % 2) + u->v / (i % 4);
        """,
    "absolute value and sign": "y->F = fabs(u->v) * copysign(x->z, u->N) + copysign(2, x->w);",
    "exponentials": "y->F = exp(-u->v * u->v) + expm1(x->z) * exp(exp(p->a / 4));",
    "exponential under its own name": """
        const double e = exp(u->v);
        double t = tanh(e * x->z);
        t += 1;
        y->F = e * t;
        """,
    "logarithm and root": "y->F = log(3 + u->v) * sqrt(p->a * p->a + x->z * x->z) + sqrt(2);",
    "angles": "y->F = sin(u->v) * cos(x->z) + tan(p->a / 3) * tanh(u->N) + atan(x->w * p->b);",
    "powers": "y->F = pow(3 + u->v, p->a) + pow(2 + 0.5 * x->z, 3) + pow(2, u->N);",
    "smaller and greater": "y->F = fmin(u->v, x->z) + fmax(p->a * p->a, 1) * fmin(-1, p->b);",
    "choice": """
        y->F = u->v > 0 ? x->z * u->v : p->a;
        y->G[0] = u->N > 0 ? x->z / u->N : 0;
        y->G[1] = x->w > 0 ? 1 : x->w < -1 ? -1 : 0;
        """,
    "choice with calls": (
        """
        const double s = u->v > 0 ? square(x->z) : x->w > 0 ? exp(p->a) : 0;
        y->F = 1 + (u->N > 0 ? s * square(u->v) : s);
        y->G[0] = u->N > 1 ? square(x->w) : p->b;
        y->G[1] = s;
        """,
        """
        static double square(double q) {
            return q * q;
        }
        """,
    ),
    "return of a choice with calls": (
        "y->F = pick(u->v, x->z);",
        """
        static double pick(double q, double r) {
            return q > 0 ? exp(r) : r > 1 ? tanh(q) : q;
        }
        """,
    ),
    "if and else": """
        if (u->v > 1) {
            y->F = x->z;
        } else if (u->v > 0 && !(x->w > 0 || p->a > 1)) y->F = p->a * u->v;
        else {
            y->F = 0;
        }
        """,
    "early return": """
        y->F = 0;
        y->G[0] = x->z;
        y->G[1] = 1;
        if (u->N <= 0) return;
        y->F = p->a * u->v;
        if (x->w > 0) {
            return;
        }
        y->G[1] = u->v;
        """,
    "early return of a value": (
        """
        y->F = law(u->v, p->a);
        y->G[0] = law(x->z, 1);
        y->G[1] = law(2, 1);
        """,
        """
        static double law(double v, double a) {
            if (v > 1) return v * a;
            if (a > 1) {
                return a;
            }
            return 0;
        }
        """,
    ),
    "assignments that compute": """
        double s = u->v;
        s += x->z * u->N;
        s -= -p->a;
        s *= 2;
        s *= s;
        s /= 3 + x->w;
        s /= 2;
        s += 1;
        y->F = s;
        """,
    "a member that computes on itself": """
        y->F = u->v;
        y->F = y->F * y->F + y->F;
        y->F *= x->z;
        dx->z = y->F;
        """,
    "loop over arrays": """
        double s = 0;
        for (int i = 0; i < 3; i++) {
            s += p->c[i] * u->n[i];
        }
        y->F = s;
        for (int i = 1; i >= 0; --i)
            y->G[i] = u->n[i] * u->v;
        """,
    "elements by constant index": """
        double c[3] = {0};
        for (int i = 0; i < 2; ++i) c[2 * i] = u->n[2 - 2 * i];
        y->F = c[0];
        y->G[0] = c[1];
        y->G[1] = c[2];
        """,
    "branches inside a loop": (
        """
        for (int i = 0; i < 2; i++) {
            double s = 1;
            for (int j = i + 1; j < N_AXES; j++) {
                if (j == 2) s *= u->n[j];
                else s += p->c[j];
            }
            y->G[i] = s;
        }
        """,
        "enum { N_AXES = 3 };",
    ),
    "index by mode": (
        "y->F = p->c[m->mode] * weights[m->mode];",
        "static const double weights[3] = {0.5, 0.25, 0.125};",
    ),
    "out pointers": (
        """
        double q, r = 2;
        both(u->v, x->z, &q, &r);
        y->F = q * r;
        both(p->a, x->w, &y->G[0], &y->G[1]);
        """,
        """
        static void both(double a, double b, double *sum, double *product) {
            *sum = a + b;
            *product = a * b;
        }
        """,
    ),
    "set through a pointer under a condition": (
        """
        double q = 2, r = 2;
        if (u->v > 1) set(&q, p->a, x->z);
        y->F = q;
        if (u->N <= 1) set(&r, p->b, x->w);
        dx->w = r;
        """,
        """
        static void set(double *to, double value, double from) {
            if (from > 0) return;
            *to = value;
        }
        """,
    ),
    "value through a pointer and returned": (
        """
        double q = u->v;
        const double r = grow(x->z, &q);
        y->F = r * grow(p->a, &q);
        y->F += q;
        """,
        """
        static double grow(double by, double *q) {
            const double old = *q;
            *q += by * by;
            return old * by;
        }
        """,
    ),
    "the result is not wanted": (
        """
        double q = u->v;
        grow(x->z, &q);
        (void)grow(x->w, &q);
        y->F = q;
        """,
        """
        static double grow(double by, double *q) {
            *q += by * by;
            return by;
        }
        """,
    ),
    "a call that writes, in a condition": (
        """
        double q = x->z;
        if (grow(u->v, &q) > 0) y->F = q;
        else if (grow(u->N, &q) > 0) y->F = 2 * q;
        else y->F = p->a;
        """,
        """
        static int grow(double by, double *q) {
            *q += by;
            return by > 0;
        }
        """,
    ),
    "arrays as arguments": (
        """
        double t[3];
        cross(u->n, p->c, t);
        y->F = dot(t, unit);
        y->G[0] = dot(t, t);
        y->G[1] = dot(unit, unit) + first(&u->n[1]);
        """,
        """
        static const double unit[3] = {1, 0, 2};
        static double dot(const double a[3], const double *b) {
            double s = 0;
            for (int i = 0; i < 3; i++) s += a[i] * b[i];
            return s;
        }
        static double first(const double *a) {
            return a[0] * *a + a[1];
        }
        static void cross(const double a[3], const double b[3], double c[3]) {
            c[0] = a[1] * b[2] - a[2] * b[1];
            c[1] = a[2] * b[0] - a[0] * b[2];
            c[2] = a[0] * b[1] - a[1] * b[0];
        }
        """,
    ),
    "structs": (
        """
        Pair q = {u->v, x->z};
        const Pair r = {0, p->a};
        Pair s = q;
        swap(&s);
        q = r;
        s.first += q.second;
        y->F = s.first * s.second;
        y->G[0] = total(s) + total((Pair){u->N, 1});
        y->G[1] = total(r) * total(sum(q, made(x->w, 2))) + made(u->v, 3).first;
        dx->z = made(u->v, x->z).first;
        """,
        """
        typedef struct {
            double first;
            double second;
        } Pair;
        static void swap(Pair *q) {
            const double t = q->first;
            q->first = (*q).second;
            q->second = t;
        }
        static double total(Pair q) {
            return q.first + q.second * q.second;
        }
        static Pair made(double a, double b) {
            if (a > 0) return (Pair){2 * a, b};
            Pair q;
            q.first = a;
            q.second = b;
            return q;
        }
        static Pair sum(Pair a, Pair b) {
            a.first += b.first;
            a.second += b.second;
            return a;
        }
        """,
    ),
    "structs with arrays and whole numbers": (
        """
        Contact q = {{u->n[0], x->z}, 1, u->v};
        Contact r;
        r.side = u->v > 0;
        r.depth = u->N;
        r.at[0] = p->a;
        r.at[1] = q.at[0];
        if (r.side) q = r;
        y->F = q.at[0] * q.side + q.depth;
        y->G[0] = q.at[1];
        Contact many[2] = {q, r};
        y->G[1] = many[1].depth * many[1].at[0];
        """,
        """
        typedef struct {
            double at[2];
            int side;
            double depth;
        } Contact;
        """,
    ),
    "matrices": (
        """
        double A[2][2] = {{u->v, 1}, {x->z, p->a}};
        double s = 0;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) s += A[i][j] * A[j][i];
        y->F = s;
        y->G[0] = A[1][0];
        y->G[1] = trace(A);
        """,
        """
        static double trace(double A[2][2]) {
            return A[0][0] + A[1][1];
        }
        """,
    ),
    "locals without a slope": (
        """
        const double limit = 2;
        double speed = fabs(u->v);
        const double s = sign(u->v);
        const double unit[2] = {1, 2};
        speed += 1;
        y->F = speed > limit ? s * x->z * unit[1] : limit;
        """,
        """
        static double sign(double v) {
            return v > 0 ? 1 : v < 0 ? -1 : 0;
        }
        """,
    ),
    "arguments without use": (
        "y->F = second(u->v, x->z, p);",
        """
        static double second(double a, double b, const Parameters *p) {
            (void)a;
            (void)p;
            return b * b;
        }
        """,
    ),
    "a place that only shifts": (
        """
        y->F = u->v;
        shift(x->w, &y->F);
        """,
        """
        static void shift(double by, double *q) {
            if (by > 0) *q += 1;
        }
        """,
    ),
    "an argument that is changed": (
        "y->F = clamped(u->v * 2, p->a) + clamped(x->z, 1);",
        """
        static double clamped(double v, double by) {
            if (v > by) v = by;
            if (v < -1) v = -1;
            v *= 2;
            return v;
        }
        """,
    ),
    "condition by calls": (
        """
        y->F = moving(u->v) && moving(x->z) ? x->w : 0;
        if (!moving(u->N) || (moving(p->a) && u->v > 0)) y->F += u->N;
        """,
        """
        static int moving(double v) {
            return fabs(v) > 1;
        }
        """,
    ),
    "modes": """
        if (m->mode == MODE_STICK) {
            y->F = x->z;
        } else {
            y->F = 2 * x->z;
        }
        """,
    "casts": """
        const int k = (int)(2 * u->v);
        y->F = (double)k * x->z + (double)(u->v * x->z);
        """,
    "zero takes part in nothing": (
        "give(0, u, y);",
        """
        static void give(double F, const Inputs *u, Outputs *y) {
            y->F = F * u->v;
            y->G[0] = F / (u->N + 3);
            y->G[1] = F + u->N;
        }
        """,
    ),
    "what stays in a call may be changed by it": (
        """
        const Pair ones = {1, 1};
        y->F = shifted(2, x->z) + mixed(ones, u->v) + shifted(x->w, 3);
        """,
        """
        typedef struct Pair {
            double a, b;
        } Pair;
        static double shifted(double a, double b) {
            a += b;
            return a * b;
        }
        static double mixed(Pair pair, double v) {
            pair.b = v * v;
            return pair.a + pair.b * v;
        }
        """,
    ),
    "blocks": """
        {
            const double s = u->v;
            y->F = s;
        }
        {
            const double s = x->z;
            y->F += s * s;
        }
        ;
        """,
    "constants": (
        """
        y->F = gravity * u->v + x->z / (1 + DBL_EPSILON) + 0x10 + 010 + 1e-3;
        dx->w = u->v * pairs[1].second;
        """,
        """
        #include <float.h>
        static const double gravity = 9.81;
        typedef struct {
            double first, second;
        } Two;
        static const Two pairs[2] = {{1, 2}, {3, 4}};
        """,
    ),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_values_slopes_and_dependencies(name, tmp_path):
    code = CONSTRUCTS[name]
    check_snippet(tmp_path, model(code) if isinstance(code, str) else model(*code))


class Program:
    """Draws a program in the subset of C that is differentiated: functions with results and with
    pointers, structs, arrays, branches, loops. All of its expressions are bounded, so that
    differences can be taken."""

    UNARY = [
        "sin({})",
        "cos({})",
        "tanh({})",
        "atan({})",
        "fabs({})",
        "exp(-fabs({}))",
        "sqrt(1 + {0} * {0})",
        "log(1.5 + fabs({}))",
        "expm1(tanh({}))",
        "-({})",
        "tan(0.5 * tanh({}))",
        "copysign(1.5, {})",
    ]
    BINARY = [
        "({} + {})",
        "({} - {})",
        "({} * {})",
        "({} / (2 + fabs({})))",
        "fmin({}, {})",
        "fmax({}, {})",
        "pow(1.2 + fabs({}), tanh({}))",
        "copysign({}, {})",
    ]
    LEAVES = [known.replace(".", "->", 1) for known in KNOWNS] + ["0.75", "3.0", "1e-1"]

    def __init__(self, draw):
        self.random = draw
        self.functions = []
        self.count = 0

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def expression(self, leaves, depth):
        draw = self.random
        kind = draw.random()
        if depth == 0 or kind < 0.15:
            return draw.choice(leaves)
        if kind < 0.4:
            return draw.choice(self.UNARY).format(self.expression(leaves, depth - 1))
        if kind < 0.5:
            return (
                f"({self.condition(leaves)} ? {self.expression(leaves, depth - 1)} :"
                f" {self.expression(leaves, depth - 1)})"
            )
        if kind < 0.62 and self.functions:
            function = draw.choice(self.functions)
            return (
                f"{function}({self.expression(leaves, depth - 1)},"
                f" {self.expression(leaves, depth - 1)})"
            )
        return draw.choice(self.BINARY).format(
            self.expression(leaves, depth - 1), self.expression(leaves, depth - 1)
        )

    def condition(self, leaves):
        left, right = (self.random.choice(leaves) for _ in range(2))
        return self.random.choice(
            [
                f"{left} > {right}",
                f"{left} <= 0.3",
                f"{left} < 0 && {right} > -1",
                f"!({left} > 0) || {right} > 1",
            ]
        )

    def function(self):
        """Writes double f(double a, double b), with locals, a branch and a loop of its own."""
        leaves = ["a", "b"]
        lines = self.statements(leaves, 3, "    ")
        name = self.name("f")
        body = "\n".join(lines)
        text = (
            f"static double {name}(double a, double b) {{\n{body}\n    return"
            f" tanh({self.expression(leaves, 2)}) + 0 * (a + b);\n}}\n"
        )
        self.functions.append(name)
        return text

    def statements(self, leaves, count, indent, nested=0):
        """Draws declarations, assignments, branches and loops; `leaves` grows with each
        declaration."""
        lines = []
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.45 or nested > 1:
                name = self.name("s")
                lines.append(
                    f"{indent}{'const ' if self.random.random() < 0.4 else ''}double {name} ="
                    f" {self.expression(leaves, 3)};"
                )
                leaves.append(name)
                if lines[-1].startswith(f"{indent}double") and self.random.random() < 0.6:
                    lines.append(
                        f"{indent}{name} {self.random.choice(['=', '+=', '-='])}"
                        f" {self.expression(leaves, 2)};"
                    )
            elif kind < 0.6:
                name = self.name("t")
                lines.append(f"{indent}double {name} = {self.expression(leaves, 2)};")
                lines.append(f"{indent}if ({self.condition(leaves)}) {{")
                lines += self.statements(list(leaves), 1, indent + "    ", nested + 1)
                lines.append(f"{indent}    {name} += {self.expression(leaves, 2)};")
                lines.append(f"{indent}}} else {{")
                lines.append(f"{indent}    {name} = {self.expression(leaves, 2)};")
                lines.append(f"{indent}}}")
                leaves.append(name)
            elif kind < 0.8:
                name, index = self.name("l"), self.name("i")
                lines.append(
                    f"{indent}double {name}[3] = {{{self.expression(leaves, 1)}, 0,"
                    f" {self.expression(leaves, 1)}}};"
                )
                lines.append(
                    f"{indent}for (int {index} = 1; {index} < 3; {index}++) {name}[{index}] ="
                    f" tanh({name}[{index} - 1] + {self.expression(leaves, 2)});"
                )
                leaves.append(f"{name}[{self.random.randrange(3)}]")
            else:
                name = self.name("w")
                lines.append(f"{indent}Pair {name};")
                lines.append(f"{indent}fill({self.expression(leaves, 2)}, &{name});")
                leaves += [f"{name}.first", f"{name}.second"]
        return lines

    def text(self):
        before = "typedef struct {\n    double first, second;\n} Pair;\n\n"
        before += (
            "static void fill(double a, Pair *pair) {\n    pair->first = tanh(a);\n    pair->second"
            " = pair->first * a;\n}\n\n"
        )
        before += "\n".join(self.function() for _ in range(2))
        leaves = list(self.LEAVES)
        body = "\n".join(self.statements(leaves, 5, ""))
        for place in ("dx->z", "dx->w", "y->F", "y->G[0]", "y->G[1]"):
            body += f"\n{place} = {self.expression(leaves, 3)};"
        calls = " + ".join(f"{function}(p->a, x->z)" for function in self.functions)
        body += f"\nPair last;\nfill({calls}, &last);\ny->F += last.second;"
        used = "\n".join(
            f"(void){leaf.partition('[')[0].partition('.')[0]};"
            for leaf in leaves
            if re.match(r"[swtl]\d", leaf)
        )
        return model(f"{body}\n{used}", before)


@settings(
    max_examples=12, phases=[Phase.explicit, Phase.generate]
)  # a shorter program is not worth compiling
@given(randoms(use_true_random=False))
def test_any_program_of_the_subset_is_differentiated(draw):
    """Values bit for bit, slopes compared with differences, and nothing has an unlisted effect."""
    with tempfile.TemporaryDirectory() as folder:
        # Random programs are careless; and a constant folded by the compiler, tanh(0.75), is
        # rounded differently than by the library.
        careless = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-fno-builtin"]
        snippet = Snippet(Path(folder), Program(draw).text(), flags=careless)
        check(
            snippet.values,
            snippet.slopes,
            UNKNOWNS,
            snippet.code.dependencies,
            points=15,
            minimal=False,
        )


ROOT = """\
/* The root q of q^3 + q = a + b, by Newton's method. */
#ifndef ROOT_H
#define ROOT_H
#include <math.h>
#include "common/tool.h"

static double root(double a, double b) {
    double q = 0;
    while (1) {
        const double step = residual(q, a + b) / (3 * q * q + 1);
        q -= step;
        if (fabs(step) <= 1e-14 * (1 + fabs(q))) break;
    }
    return q;
}

static double root_slopes(double a, double a_slope, double b, double b_slope, double *slope) {
    const double q = root(a, b);
    *slope = (a_slope + b_slope) / (3 * q * q + 1);
    return q;
}
#endif
"""
TOOL = (
    "#ifndef TOOL_H\n#define TOOL_H\nstatic double residual(double q, double a) {\n    return q * q"
    " * q + q - a;\n}\n#endif\n"
)


def test_a_companion_by_hand_is_used_and_its_function_may_hold_any_c(tmp_path):
    text = model("y->F = 2 * root(u->v, x->z) * u->N + root(x->w, 1);", '#include "common/root.h"')
    snippet = check_snippet(tmp_path, text, {"common/root.h": ROOT, "common/tool.h": TOOL})
    assert "double root_slopes" not in snippet.code.slopes
    assert snippet.code.includes == ["common/root.h", "common/tool.h"]
    assert snippet.code.functions == {"evaluate"}


def test_a_companion_must_fit(tmp_path):
    wrong = ROOT.replace("double b_slope, double *slope", "double *slope").replace(" + b_slope", "")
    text = model("y->F = root(u->v, x->z);", '#include "common/root.h"')
    sentence = (
        r"^fmu_src/common/root.h:17: root_slopes does not fit root; declare it as static double"
        r" root_slopes\(double a, "
    )
    with pytest.raises(SubsetError, match=sentence):
        read(tmp_path, text, {"common/root.h": wrong, "common/tool.h": TOOL})


def test_initialize(tmp_path):
    text = model("y->F = p->a * u->v + x->z + m->mode;", "") + (
        "static void initialize(const Parameters *p, const Inputs *u, States *x) {\n"
        "    if (p->a > 0) x->z = exp(u->v) * p->b + x->z;\n}\n"
    )
    snippet = check_snippet(tmp_path, text)
    assert snippet.code.functions == {"evaluate", "initialize"}
    assert snippet.code.dependencies["init.z"] == {"p.a", "p.b", "u.v", "p.z_start"}
    check(
        snippet.start_values, snippet.start_slopes, ["init.z", "init.w"], snippet.code.dependencies
    )


def test_without_initialize_a_state_depends_on_its_start(tmp_path):
    code = read(tmp_path, model("y->F = 0;"))
    assert code.dependencies["init.z"] == {"p.z_start"}
    assert "initialize_slopes" not in code.slopes


@pytest.mark.parametrize(
    ("expression", "at", "expected"),
    [
        ("sqrt(u->v)", 0, 0),
        ("sqrt(u->v * u->v)", 0, 0),
        ("pow(u->v, 0.5)", 0, 0),
        ("pow(u->v, 1)", 0, 1),
        ("pow(u->v, 2)", 0, 0),
        ("pow(u->v, 2)", -3, -6),
        ("pow(u->v, 0)", 0, 0),
        ("pow(0, u->v)", 2, 0),
        ("fabs(u->v)", 0, 1),
        ("copysign(fabs(u->v), u->v)", 0, 1),
        ("copysign(fabs(u->v), u->v)", -0.0, 1),
        ("fmax(u->v, 0)", 0, 1),
        ("tanh(u->v)", 1e3, 0),
        ("expm1(u->v)", -40, np.exp(-40.0)),
        ("u->v > 0 ? log(u->v) / u->v : 0", 0, 0),
    ],
)
def test_slopes_are_finite_at_the_edge(expression, at, expected, tmp_path):
    snippet = Snippet(tmp_path, model(f"y->F = {expression};"))
    k, d = np.zeros(len(KNOWNS)), np.zeros(len(KNOWNS))
    k[KNOWNS.index("u.v")] = at
    d[KNOWNS.index("u.v")] = 1
    value, slope = snippet.slopes(k, d, 1)
    assert value.tobytes() == snippet.values(k, 1).tobytes()
    assert slope[2] == expected


def test_zero_slopes_leave_no_trace(tmp_path):
    slopes = read(tmp_path, model("const double c = 3;\n    y->F = c * u->v + 2 / c;")).slopes
    assert "y_slope->F = c * u_slope->v;" in slopes
    assert "c_slope" not in slopes


def test_each_function_is_written_once_and_before_its_callers(tmp_path):
    before = (
        "static double f(double q) {\n    return q * q;\n}\nstatic double g(double q) {\n    return"
        " f(q) + f(2 * q);\n}\n"
    )
    slopes = read(tmp_path, model("y->F = g(u->v) * f(x->z);", before)).slopes
    heads = re.findall(r"^static \w+ (\w+)\(", slopes, re.MULTILINE)
    assert heads == [
        "f_slopes",
        "g_slopes",
        "evaluate_slopes",
        "f_state_slopes",
        "evaluate_state_slopes",
    ]


ERRORS = [
    (10, "while is not supported; use a for loop", "while (u->v > 0) y->F = 0;"),
    (
        10,
        "switch is not supported; write if and else if",
        "switch (m->mode) { default: y->F = 0; }",
    ),
    (10, "break is not supported", "for (int i = 0; i < 3; i++) break;"),
    (10, "the bounds of a for loop must be constants", "for (int i = 0; i < u->v; i++) y->F = 0;"),
    (10, "a for loop must count one int", "for (double s = 0; s < 2; s++) y->F = s;"),
    (10, "the function erf is unknown here", "y->F = erf(u->v);"),
    (10, "speed is not declared", "y->F = speed;"),
    (10, "has no member w|there is no member w", "y->F = u->w;"),
    (4, "the directive #define is not supported", "y->F = 1;", "#define TWICE(x) (2 * (x))"),
    (4, 'the include "common/none.h" is not found', "y->F = 1;", '#include "common/none.h"'),
    (
        4,
        "f calls itself",
        "y->F = f(u->v);",
        "static double f(double q) { return q > 0 ? f(q - 1) : 0; }",
    ),
    (11, "an assignment inside an expression", "double s;\ny->F = s = u->v;"),
    (11, "\\+\\+ inside an expression", "int i = 0;\ny->F = u->n[i++];"),
    (10, "a static local is not supported", "static double s = 0;\ny->F = s;"),
    (10, "the type float is not supported", "float s = 0;\ny->F = (double)s;"),
    (10, "pointer|a variable", "y->F = *(u->n + 1);"),
    (10, "the name s_slope is taken", "const double s = u->v, s_slope = 1;\ny->F = s * s_slope;"),
    (10, "the index 3 is outside of the array of 3", "y->F = u->n[3];"),
    (10, "memory is not declared", "y->F = memory;", "static double memory;"),
    (10, "fmin takes 2 argument", "y->F = fmin(u->v);"),
    (10, "a pointer cannot stand where a value is needed", "y->F = u->n;"),
    (
        10,
        "a local pointer is not supported; name the place",
        "const double *q = &u->v;\ny->F = *q;",
    ),
    (
        4,
        "a pointer cannot be set",
        "f(&y->F, &y->F);",
        "static void f(double *a, double *b) { a = b; }",
    ),
    (
        4,
        "a struct needs a name by typedef",
        "y->F = ones.a;",
        "struct Pair { double a; }; static const struct Pair ones = {1};",
    ),
    (10, "needs its size", "const double q[] = {1, 2};\ny->F = q[0];"),
    (10, "f gives no value", "y->F = f(u->v);", "static void f(double q) { (void)q; }"),
    (
        4,
        "f returns nothing",
        "y->F = f(u->v);",
        "static double f(double q) { if (q > 0) return; return q; }",
    ),
    (
        10,
        "a designator in braces is not supported; give the values in their order",
        "const Inputs q = {.v = 1};\ny->F = q.v;",
    ),
    (
        10,
        "a division of two whole numbers drops the remainder; write one of them as a double",
        "y->F = 1 / 2 * u->v;",
    ),
    (
        10,
        "a division of two whole numbers",
        "y->F = u->v * (f(u->v) / -3);",
        "static int f(double q) { return q > 0; }",
    ),
    (10, "a division of two whole numbers", "for (int i = 0; i < 3; i++) y->G[1] += (i + 1) / 2;"),
    (10, "this C is not supported here", "y->F = ;"),
]


@pytest.mark.parametrize("error", ERRORS, ids=[one[1] for one in ERRORS])
def test_errors_name_the_line(error, tmp_path):
    line, sentence, body, *before = error
    text = [
        '#include "Snippet.h"',
        "/* a comment",
        " * of two lines */",
        "".join(before),
        HEAD,
        "    dx->z = p->a;",
        "    dx->w = x->z;",
    ]
    text += [
        "    y->G[0] = u->v;",
        "    y->G[1] = m->mode;",
        textwrap.indent(body, "    "),
        "}",
        "",
    ]
    with pytest.raises(SubsetError, match=rf"^fmu_src/models/Snippet.c:{line}: .*({sentence})"):
        read(tmp_path, "\n".join(text))


def test_an_error_in_an_include_names_its_line(tmp_path):
    tool = TOOL.replace("return q * q * q + q - a;", "\n    return lgamma(q) - a;")
    with pytest.raises(
        SubsetError, match=r"^fmu_src/common/tool.h:5: the function lgamma is unknown"
    ):
        read(
            tmp_path,
            model("y->F = residual(u->v, x->z);", '#include "common/tool.h"'),
            {"common/tool.h": tool},
        )


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("dx->z = 0; dx->w = 0; y->G[0] = 0; y->G[1] = 0;", "output F is never set"),
        ("dx->z = 0; dx->w = 0; y->F = 0; y->G[0] = 0;", r"output G\[1\] is never set"),
        ("dx->z = 0; y->F = 0; y->G[0] = 0; y->G[1] = 0;", "the derivative of w is never set"),
        (
            "dx->z = 0; dx->w = 0; y->G[0] = 0; y->G[1] = 0; if (u->N > 0) y->F = 0;",
            "output F is not set on every path",
        ),
        (
            "dx->z = 0; dx->w = 0; y->G[0] = 0; y->G[1] = 0; if (u->N > 0) return; y->F = 0;",
            "output F is not set on every path",
        ),
    ],
)
def test_an_unset_member_is_an_error(body, sentence, tmp_path):
    with pytest.raises(SubsetError, match=rf"^fmu_src/models/Snippet.c:2: {sentence}"):
        read(tmp_path, f'#include "Snippet.h"\n{HEAD}\n    {body}\n}}\n')


def test_evaluate_must_exist_with_its_arguments(tmp_path):
    with pytest.raises(SubsetError, match="the function evaluate is missing"):
        read(tmp_path / "none", '#include "Snippet.h"\n')
    with pytest.raises(
        SubsetError, match="Snippet.c:2: evaluate must be declared as static void evaluate"
    ):
        read(
            tmp_path / "other",
            '#include "Snippet.h"\nstatic void evaluate(const Parameters *p) {\n    (void)p;\n}\n',
        )
    with pytest.raises(
        SubsetError,
        match='Snippet.c:1: the types of the model are unknown; include "Snippet.h" first',
    ):
        read(tmp_path / "bare", "static void evaluate(void) {\n}\n")


def test_functions_that_evaluate_does_not_call_may_hold_any_c(tmp_path):
    check = (
        'static const char *check(const Parameters *p) {\n    while (p->a > 0) return "a is not /*'
        ' positive";\n    return NULL;\n}\n'
    )
    assert read(tmp_path, model("y->F = u->v;", check)).functions == {"check", "evaluate"}


NEXT_MODES = """
static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    const int reset = m->mode == MODE_SLIP && u->n[0] > 0;
    if (reset) x->z = p->b;
    SEARCH
    m->mode = x->w > p->a * u->N ? MODE_SLIP : MODE_STICK;
    return reset;
}
"""


@pytest.mark.parametrize(
    "search",
    [
        "",
        "for (double q = 1; q < u->v;) q *= 2;",
        "const Inputs q = {.n[0] = u->v, .n[1] = 1}; x->w = q.n[0];",
    ],
    ids=["followed", "not followed", "not followed in braces"],
)
def test_what_the_modes_depend_on_counts_at_the_start(tmp_path, search):
    """A fresh model is not in slip yet, so nothing is reset; code that cannot be followed is no
    mistake, but gives no dependencies."""
    body = (
        "    y->F = m->mode == MODE_SLIP ? u->v : x->z;\n    y->G[0] = u->n[1];\n    y->G[1] = 0;"
    )
    dependencies = read(tmp_path, model(body, NEXT_MODES.replace("SEARCH", search))).dependencies
    assert dependencies["y.F"] == {"u.v", "x.z"}
    assert dependencies["init.z"] == {"p.z_start"}
    if search:
        assert not [name for name in dependencies if name.startswith("start.")]
    else:
        assert dependencies["start.m.mode"] == {"p.w_start", "p.a", "u.N"}
        assert dependencies["start.y.F"] == {"p.w_start", "p.a", "u.N", "u.v", "p.z_start"}
        assert dependencies["start.y.G[0]"] == {"u.n[1]"}
