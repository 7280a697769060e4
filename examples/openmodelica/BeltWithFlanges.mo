model BeltWithFlanges "The mass on a conveyor belt of Belt.mo, with a friction element between body and belt"
  Modelica.Mechanics.Translational.Components.Fixed wall;
  Modelica.Mechanics.Translational.Components.Spring spring(c = 2);
  Modelica.Mechanics.Translational.Components.Mass body(m = 1, s(start = 0, fixed = true), v(start = 0.1, fixed = true));
  Modelica.Mechanics.Translational.Sources.ConstantSpeed belt(v_fixed = 0.1);
  Bristle.Translational friction(
    redeclare model Law = LuGre_me_FMU(
      staticFriction = 0.15,
      dynamicFriction = 0.10,
      stribeckVelocity = 0.001,
      stribeckExponent = 2,
      viscousFriction = 0.01019368,
      bristleStiffness = 100000,
      bristleDamping = 316.2278)) "Another law is another class here, with its own parameters";
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(belt.flange, friction.flange_a);
  connect(friction.flange_b, body.flange_b);
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 20, Interval = 0.01, Tolerance = 1e-8));
end BeltWithFlanges;
