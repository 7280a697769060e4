model Clutch "An engine takes a load along: a friction element between two shafts, pressed by an input"
  Modelica.Mechanics.Rotational.Components.Inertia engine(J = 0.1, phi(start = 0, fixed = true), w(start = 100, fixed = true));
  Modelica.Mechanics.Rotational.Components.Inertia driven(J = 0.2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  Modelica.Blocks.Sources.Ramp press(height = 1000, duration = 0.5) "Closes the clutch";
  Bristle.Rotational clutch(
    useNormalForce = true,
    redeclare model Law = LuGreRotational_me_FMU(
      staticFriction = 0.5,
      dynamicFriction = 0.4,
      frictionRadius = 0.1,
      stribeckVelocity = 0.1,
      bristleStiffness = 1000000,
      bristleDamping = 1000)) "One face at a mean radius of 0.1 m";
equation
  connect(driven.flange_a, clutch.flange_a);
  connect(clutch.flange_b, engine.flange_b);
  connect(press.y, clutch.normalForce);
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 1, Interval = 0.001, Tolerance = 1e-8));
end Clutch;
