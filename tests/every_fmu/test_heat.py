"""Heat: the power that an element takes from the bodies and does not store. `stored` in
reference/<model>.py gives the stored energy independently of the FMU; without it, a bristle of the
stiffness sigma0 stores sigma0 z²/2, and a model without states nothing.
"""

import numpy as np
import pytest

from fmus import REPOSITORY
from operating_points import Sampler, some_of
from reference import references
from test_light_contact import limit
from test_passivity import is_passive, piece, unloaded
from vectors import read

COLD = pytest.mark.fmus(lambda d: "dissipatedPower" in d and "heatFlow" not in d)
WITHOUT_MEMORY = pytest.mark.fmus(
    lambda d: "heatFlow" in d and d.family("relativeVelocity") and not d.states
)
SCALAR_WITH_MEMORY = pytest.mark.fmus(lambda d: d.has("heatFlow", "relativeVelocity") and d.states)
PASSIVE_WITH_MEMORY = pytest.mark.fmus(
    lambda d: d.has("heatFlow", "relativeVelocity") and d.states and is_passive(d)
)
VECTOR_BRISTLE = pytest.mark.fmus(
    lambda d: d.has("heatFlow", "relativeVelocity[1]", "bristleDeflection[1]")
)


def spring(p, u, x):
    return 0.5 * p["bristleStiffness"] * x["bristleDeflection"] ** 2


def energy_of(fmu):
    return getattr(references(fmu.name), "stored", spring)


def stored_power(energy, instance, p):
    """Returns the rate of the stored energy along the states' derivatives, by a central difference
    that is exact for quadratic energy; and its rounding."""
    d = instance.description
    u = {v.name: instance.get(v.name) for v in d.inputs}
    x = {v.name: instance.get(v.name) for v in d.states}
    rates = {v.name: instance.get(rate.name) for v, rate in zip(d.states, d.derivatives)}
    time = max((abs(x[name] / rate) for name, rate in rates.items() if rate), default=1.0) or 1.0
    after, before = (
        {name: value + sign * time * rates[name] for name, value in x.items()} for sign in (1, -1)
    )
    energies = energy(p, u, after), energy(p, u, before)
    return (energies[0] - energies[1]) / (2 * time), 2**-50 * max(energies) / time


@WITHOUT_MEMORY
def test_without_memory_all_power_is_heat(fmu):
    for instance, _ in Sampler(fmu.description, "heat").points(fmu, 5, 20):
        assert instance.get("heatFlow") == instance.get("dissipatedPower")


@SCALAR_WITH_MEMORY
def test_heat_is_power_that_is_not_stored(fmu):
    """Power in minus that stored in springs, at any point, in contact and apart; up to rounding."""
    energy = energy_of(fmu)
    for instance, p in Sampler(fmu.description, "heat").points(fmu, 10, 20):
        power, (stored, rounding) = (
            instance.get("dissipatedPower"),
            stored_power(energy, instance, p),
        )
        assert instance.get("heatFlow") == pytest.approx(
            power - stored, rel=1e-9, abs=1e-9 * (abs(power) + abs(stored)) + rounding
        )


@PASSIVE_WITH_MEMORY
def test_a_passive_element_makes_heat_and_never_takes_it(fmu):
    """Along random motions from an unloaded start, under normal forces that jump and vanish."""
    sampler = Sampler(fmu.description, "heat along a motion")
    draw = sampler.random
    with fmu.co_simulation() as instance:
        for _ in range(25):
            parameters = unloaded(sampler, instance)
            normal = 10 ** draw.uniform(0, 2.3)
            for _ in range(6):
                load, velocity, path = piece(sampler, parameters, normal, swing=1.0)
                instance.set({"normalForce": load, "relativeVelocity": velocity})
                for _ in range(10):
                    instance.step(abs(path / velocity) / 10)
                    heat, power = instance.get("heatFlow"), instance.get("dissipatedPower")
                    assert heat >= -1e-9 * abs(power), (parameters, load, velocity)
            instance.demand("fmi2Reset")


@SCALAR_WITH_MEMORY
def test_the_balance_closes_over_a_motion(fmu):
    """Work of the bodies = heat + energy stored at the end, under a constant normal force;
    Simpson's rule over 400 steps per piece."""
    d = fmu.description
    energy, normal = energy_of(fmu), d["normalForce"].start
    p = d.starts()
    speed = p.get("stribeckVelocity", 0.01)
    with fmu.co_simulation() as instance:
        instance.start({"relativeVelocity": 0.0, "normalForce": normal}, tolerance=1e-10)
        balance = work = 0.0
        steps = 400
        for velocity, time in ((0.1 * speed, 0.02), (-0.5 * speed, 0.02), (3 * speed, 0.01)):
            instance.set({"relativeVelocity": velocity})
            instance.step(0.0)
            values = [(instance.get("dissipatedPower"), instance.get("heatFlow"))]
            for _ in range(steps):
                instance.step(time / steps)
                values.append((instance.get("dissipatedPower"), instance.get("heatFlow")))
            weights = [1] + [4, 2] * (steps // 2 - 1) + [4, 1]
            taken, heat = (
                sum(w * value[k] for w, value in zip(weights, values)) * time / steps / 3
                for k in (0, 1)
            )
            balance, work = balance + taken - heat, work + abs(taken)
        kept = energy(p, {"normalForce": normal}, {v.name: instance.get(v.name) for v in d.states})
        # the power jumps by up to its value where a slider yields inside a step: half a step of it,
        # four sliders, three pieces
        assert balance == pytest.approx(
            kept, abs=(6 / steps if "elementStiffness[1]" in d else 1e-4) * work
        )
        assert work > 0


@VECTOR_BRISTLE
def test_heat_of_a_bristle_in_the_plane(fmu):
    """Normal force, spring in the plane and, where the element has one, the spring of the
    contact."""
    d = fmu.description
    for instance, p in Sampler(d, "heat").points(fmu, 10, 20):
        normal = max(instance.get("normalForce"), 0.0)
        n = read(instance, "contactNormal") / np.linalg.norm(read(instance, "contactNormal"))
        z, rate, v = (
            read(instance, name)
            for name in ("bristleDeflection", "der(bristleDeflection)", "relativeVelocity")
        )
        z, rate = z - (n @ z) * n, rate - (n @ rate) * n
        stored = normal * p["bristleStiffness"] * (z @ rate)
        if "penetration" in d:
            depth = max(instance.get("penetration"), 0.0)
            stored -= (
                p["contactStiffness"]
                * (depth / p["referencePenetration"]) ** p["stiffnessExponent"]
                * (v @ n)
            )
        power = instance.get("dissipatedPower")
        assert instance.get("heatFlow") == pytest.approx(
            power - stored, rel=1e-9, abs=1e-9 * (abs(power) + abs(stored))
        )


@pytest.mark.fmus(lambda d: d.name == "HuntCrossley")
def test_the_damper_of_a_contact_makes_the_heat(fmu):
    """D s^P_D (d delta/dt)² in contact, and the remaining energy of the spring if the surfaces part
    faster than it."""
    for instance, p in Sampler(fmu.description, "heat").points(fmu, 10, 20):
        depth, rate = instance.get("penetration"), instance.get("penetrationRate")
        s = max(depth, 0.0) / p["referencePenetration"]
        spring, damper = (
            p["contactStiffness"] * s ** p["stiffnessExponent"],
            p["contactDamping"] * s ** p["dampingExponent"],
        )
        expected = (
            0.0
            if depth <= 0
            else damper * rate**2
            if instance.get("normalForce") > 0
            else -spring * rate
        )
        assert instance.get("heatFlow") == pytest.approx(
            expected, rel=1e-9, abs=1e-9 * spring * abs(rate)
        )
        assert instance.get("heatFlow") >= -1e-12 * spring * abs(rate)


@COLD
def test_a_model_without_heat_explains_why(fmu):
    page = (fmu.folder / "documentation" / "index.html").read_text(encoding="utf-8")
    assert "heatFlow" in page, "`energy` of the description has to explain why there is no heatFlow"


def test_heat_is_computed_in_one_place():
    """No friction element subtracts by itself; only a contact computes its normal part."""
    sources = [
        path
        for path in (REPOSITORY / "fmu_src").rglob("*.[ch]")
        if "y->Q" in path.read_text(encoding="utf-8")
    ]
    assert sorted(path.name for path in sources) == ["ContactPoint.c", "HuntCrossley.c", "heat.h"]


def over_decades(d, sampler, parameters):
    """Draws inputs and states from nominal sizes down to contacts so light that a bristle follows
    slower than printed, and up to fast ones."""
    draw = sampler.random
    u = sampler.inputs(parameters)
    moved = {v.name: v for v in d.inputs if v.unit not in (None, "1")}
    u |= {name: v.clipped(u[name] * 10 ** draw.uniform(-8, 2)) for name, v in moved.items()}
    x = [
        draw.choice((-1, 1)) * (10 ** draw.uniform(-20, -3) if v.unit == "m" else sampler.size(v))
        for v in d.states
    ]
    return u, x


def loading(instance, parameters):
    """Returns the power with which slipping elements load their springs."""
    d = instance.description
    elements = zip(
        (v.name for v in d.states), (v.name for v in d.derivatives), d.family("elementStiffness")
    )
    return sum(
        max(instance.get(force) * instance.get(rate) / parameters[k.name], 0.0)
        for i, (force, rate, k) in enumerate(elements, 1)
        if instance.modes()[f"mode[{i}]"] != 1
    )


@pytest.mark.fmus(lambda d: "heatFlow" in d)
def test_heat_is_nowhere_negative(fmu):
    """Negative only by rounding, with the passive option of the law; 50 000 points of all models.
    Two kinds are never passive, as stated on their pages: ideal stick balances the load also if the
    body still creeps against it, with a power of at most its limit times that speed, and slipping
    elements of GeneralizedMaxwellSlip load their springs in time, with at most that power."""
    d, seen = fmu.description, 0
    sampler = Sampler(d, "heat over decades")
    ideal = "externalForce" in d

    def band(p):  # band of speed in which an ideal stick creeps, and a slip begins
        return 2 * p.get("regularizationVelocity", p.get("staticVelocity", 0.0))

    with fmu.model_exchange() as instance:
        while seen < some_of(2000):
            parameters = sampler.start(instance)
            for _ in range(0 if not is_passive(d) and parameters.get("law") == 1 else 50):
                u, x = over_decades(d, sampler, parameters)
                instance.set(u)
                if x:
                    instance.states = x
                instance.event()
                power, heat = instance.get("dissipatedPower"), instance.get("heatFlow")
                least = -1e-12 * (abs(power) + abs(power - heat))
                if ideal and abs(u["relativeVelocity"]) <= band(parameters):
                    kappa = max(
                        1.0, *(v for k, v in parameters.items() if k.startswith("backward"))
                    )
                    s = u["relativeVelocity"] / parameters.get("viscousReferenceVelocity", 1.0)
                    grease = np.hypot(s, 1e-4) ** (parameters.get("viscousExponent", 1.0) - 1)
                    force = limit(
                        d, parameters, max(u["normalForce"], 0.0), grease * u["relativeVelocity"]
                    )
                    least -= kappa * force * abs(u["relativeVelocity"])
                if "mode[1]" in d:
                    least -= loading(instance, parameters)
                assert heat >= least, (u, x, parameters)
                seen += 1
            instance.demand("fmi2Reset")
