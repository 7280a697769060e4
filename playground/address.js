// The state of the page in its address:
// #situation=belt&beltSpeed=0.2&1=LuGre&1.set=rill2023_model1&1.staticFriction=0.5&2=Dahl
//
//   situation      a system; for its settings: name=value
//   press          force with which the hand presses
//   hostStep       step of a host with a fixed one
//   couplingMass   "on": there the element is given the mass of the body
//   1, 2, 3        the models
//   1.set          the set that the parameters of a model start from, or "defaults"; without it the
//                  surface of the situation
//   1.name         a parameter or option that differs from it
// Values are in the units of the FMUs. A model's name alone is good too: #LuGre.

const SLOTS = 3;
const DEFAULTS = "defaults";

/** What an address asks for, checked against the catalogue; or a sentence why not. */
function readAddress(hash, catalogue, situations) {
    const wanted = { situation: null, settings: {}, press: 0, host: {}, slots: [] };
    const text = hash.replace(/^#/, "");
    if (!text) return { wanted };
    const pairs = text.split("&").map((part) => {
        const at = part.indexOf("=");
        return at < 0
            ? ["1", decoded(part)]
            : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
    });
    for (const [key, value] of pairs) {
        if (key === "situation") {
            wanted.situation = situations.find((one) => one.name === value);
            if (!wanted.situation)
                return {
                    problem: `The address asks for the situation “${value}”, which is not here.`,
                };
        } else if (/^[1-3]$/.test(key)) {
            const model = catalogue.models.find((one) => one.name === value);
            if (!model)
                return { problem: `The address asks for the model “${value}”, which is not here.` };
            wanted.slots[Number(key) - 1] = { model, set: "", values: {} };
        }
    }
    wanted.situation ??= null;
    for (const [key, value] of pairs) {
        const [, slot, name] = key.match(/^([1-3])\.(.+)$/) ?? [];
        if (/^[1-3]$/.test(key) || key === "situation") continue;
        const problem = slot
            ? readParameter(wanted.slots[Number(slot) - 1], name, value, slot)
            : readSetting(wanted, key, value, situations[0]);
        if (problem) return { problem };
    }
    wanted.slots = wanted.slots.filter(Boolean);
    return { wanted };
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function readParameter(slot, name, value, number) {
    if (!slot) return `The address gives ${name} to model ${number}, but names no such model.`;
    if (name === "set") {
        if (value !== DEFAULTS && !slot.model.sets.some((one) => one.name === value))
            return (
                `The address asks for the parameter set “${value}”, which ${slot.model.name} ` +
                `does not have.`
            );
        slot.set = value === DEFAULTS ? null : value;
        return "";
    }
    if (![...slot.model.parameters, ...slot.model.options].some((one) => one.name === name))
        return `The address gives “${name}”, which ${slot.model.name} does not have.`;
    if (value.trim() === "" || !Number.isFinite(Number(value)))
        return `The address gives ${name} = “${value}”, which is not a number.`;
    slot.values[name] = Number(value);
    return "";
}

function readSetting(wanted, name, value, first) {
    const situation = wanted.situation ?? first;
    const number = value.trim() === "" ? NaN : Number(value);
    if (name === "press") {
        wanted.press = number;
        return Number.isFinite(number)
            ? ""
            : `The address gives press = “${value}”, which is not a number.`;
    }
    if (name === "couplingMass" && situation.pulls) {
        wanted.host.coupled = value === "on";
        return value === "on"
            ? ""
            : `The address gives couplingMass = “${value}”, which is not “on”.`;
    }
    if (name === "hostStep" && situation.pulls) {
        wanted.host.step = number;
        return number > 0
            ? ""
            : `The address gives hostStep = “${value}”, which is not a number greater than 0.`;
    }
    if (!situation.settings.some((one) => one.name === name))
        return `The address gives “${name}”, which “${situation.title}” does not have.`;
    if (!Number.isFinite(number))
        return `The address gives ${name} = “${value}”, which is not a number.`;
    wanted.settings[name] = number;
    const objection = situation.objection(name, number);
    return objection && `The address cannot be followed: ${objection}`;
}

/** The address of a state. */
function writeAddress(situation, settings, press, host, slots) {
    const pairs = [["situation", situation.name]];
    for (const one of situation.settings)
        if (one.name in settings && settings[one.name] !== one.start)
            pairs.push([one.name, settings[one.name]]);
    if (press) pairs.push(["press", press]);
    if (host.step) pairs.push(["hostStep", host.step]);
    if (host.step && host.coupled) pairs.push(["couplingMass", "on"]);
    slots.forEach((slot, i) => {
        pairs.push([i + 1, slot.model.name]);
        if (slot.set !== "") pairs.push([`${i + 1}.set`, slot.set ?? DEFAULTS]);
        for (const [name, value] of Object.entries(slot.values))
            pairs.push([`${i + 1}.${name}`, value]);
    });
    const parts = pairs.map((pair) => pair.map(encodeURIComponent).join("="));
    return `#${parts.join("&")}`;
}
