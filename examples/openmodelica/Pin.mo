model Pin "A pendulum on a pin that is pressed by its own reaction: a load element and a friction element"
  parameter Real mass(unit = "kg") = 2 "Mass at the end of the arm";
  parameter Real length(unit = "m") = 0.5 "Length of the arm";
  parameter Real gravity(unit = "m/s2") = 9.81 "Acceleration of gravity";
  Real angle(unit = "rad", start = 1.5, fixed = true) "From hanging";
  Real speed(unit = "rad/s", start = 0, fixed = true) "Angular velocity";
  PinLoad_me_FMU pin(pinRadius = 0.02) "Gives the normal force of the reaction";
  LuGreRotational_me_FMU friction(frictionRadius = 0.02) "Takes it";
equation
  pin.reactionForce_1_ = mass * (length * speed ^ 2 + gravity * cos(angle));
  pin.reactionForce_2_ = mass * (length * der(speed) + gravity * sin(angle));
  pin.reactionForce_3_ = 0;
  pin.reactionMoment_1_ = 0;
  pin.reactionMoment_2_ = 0;
  pin.reactionMoment_3_ = 0;
  friction.normalForce = pin.normalForce;
  friction.relativeAngularVelocity = speed;
  der(angle) = speed;
  mass * length ^ 2 * der(speed) = -mass * gravity * length * sin(angle) - friction.frictionTorque;
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 5, Interval = 0.001, Tolerance = 1e-8));
end Pin;
