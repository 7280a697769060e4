model Belt "A mass on a conveyor belt, held by a spring: stick-slip with the friction of an FMU"
  parameter Real mass(unit = "kg") = 1 "Mass of the body";
  parameter Real gravity(unit = "m/s2") = 9.81 "Acceleration of gravity";
  parameter Real springStiffness(unit = "N/m") = 2 "Stiffness of the spring";
  parameter Real beltSpeed(unit = "m/s") = 0.1 "Speed of the belt";
  Real position(unit = "m", start = 0, fixed = true) "Position of the body; the spring is unloaded at zero";
  Real velocity(unit = "m/s", start = beltSpeed, fixed = true) "Velocity of the body, at first that of the belt";
  LuGre_me_FMU friction(
    staticFriction = 0.15,
    dynamicFriction = 0.10,
    stribeckVelocity = 0.001,
    stribeckExponent = 2,
    viscousFriction = 0.01019368,
    bristleStiffness = 100000,
    bristleDamping = 316.2278) "The imported friction element; another one has its own class name and its own parameters";
equation
  friction.normalForce = mass * gravity;
  friction.relativeVelocity = velocity - beltSpeed;
  der(position) = velocity;
  mass * der(velocity) = -springStiffness * position - friction.frictionForce;
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 20, Interval = 0.01, Tolerance = 1e-8));
end Belt;
