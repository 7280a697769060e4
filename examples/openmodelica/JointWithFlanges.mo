model JointWithFlanges "The arm of a robot of Joint.mo, with a friction element between housing and motor"
  parameter Real mass(unit = "kg") = 15 "Mass of the arm";
  parameter Real radius(unit = "m") = 1.14 "Distance of the mass from the axis";
  parameter Real ratio = 210 "Turns of the motor for one of the arm";
  parameter Real stiffness(unit = "N.m/rad") = 8 "Stiffness of the gear, on the motor's side";
  parameter Real weight(unit = "N.m") = mass * 9.81 * radius "Torque of gravity on the arm when it is level";
  Modelica.Mechanics.Rotational.Components.Inertia motor(
    J = 0.0013, phi(start = ratio + weight * sin(1) / (ratio * stiffness), fixed = true), w(start = 0, fixed = true)) "The gear bears the arm at first";
  Modelica.Mechanics.Rotational.Components.SpringDamper gear(c = stiffness, d = 0.01);
  Modelica.Mechanics.Rotational.Components.IdealGear transmission(ratio = ratio);
  Modelica.Mechanics.Rotational.Components.Inertia arm(J = mass * radius ^ 2, phi(start = 1, fixed = true), w(start = 0, fixed = true));
  Modelica.Mechanics.Rotational.Components.Fixed housing;
  Modelica.Mechanics.Rotational.Sources.Torque gravity;
  Modelica.Blocks.Sources.RealExpression fall(y = -weight * sin(arm.phi)) "The arm hangs down at phi = 0";
  Bristle.Rotational friction(
    constantNormalForce = 100,
    redeclare model Law = LuGreRotational_me_FMU(
      staticFriction = 0.25,
      dynamicFriction = 0.2,
      frictionRadius = 0.02,
      stribeckVelocity = 0.01,
      bristleStiffness = 1000000,
      bristleDamping = 1800)) "0.25 times 100 N at 20 mm: it holds the motor up to 0.5 N.m";
equation
  connect(motor.flange_b, gear.flange_a);
  connect(gear.flange_b, transmission.flange_a);
  connect(transmission.flange_b, arm.flange_a);
  connect(fall.y, gravity.tau);
  connect(gravity.flange, arm.flange_b);
  connect(housing.flange, friction.flange_a);
  connect(friction.flange_b, motor.flange_a);
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 10, Interval = 0.001, Tolerance = 1e-8));
end JointWithFlanges;
