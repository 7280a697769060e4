model TwoBlocks "A block on a block on a table: two elements of different kind, each between two flanges"
  Modelica.Mechanics.Translational.Components.Fixed table;
  Modelica.Mechanics.Translational.Components.Mass lower(m = 2, s(start = 0, fixed = true), v(start = 0, fixed = true));
  Modelica.Mechanics.Translational.Components.Mass upper(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true));
  Modelica.Mechanics.Translational.Sources.Force push;
  Modelica.Mechanics.Translational.Sources.Force2 below "Takes its force from the body at flange_a and gives it to that at flange_b";
  Modelica.Mechanics.Translational.Sources.Force2 between;
  Modelica.Mechanics.Translational.Sensors.RelSpeedSensor slidingBelow "Speed of the body at flange_b against that at flange_a";
  Modelica.Mechanics.Translational.Sensors.RelSpeedSensor slidingBetween;
  Modelica.Blocks.Sources.RealExpression load(y = 20 * sin(10 * time));
  Modelica.Blocks.Sources.Constant weightOfBoth(k = 3 * 9.81);
  Modelica.Blocks.Sources.Constant weightOfUpper(k = 9.81);
  LuGre_me_FMU dry(staticFriction = 0.3, dynamicFriction = 0.25);
  SecondOrderBristle_me_FMU sticky(staticFriction = 0.5, dynamicFriction = 0.4);
equation
  connect(load.y, push.f);
  connect(push.flange, lower.flange_b);
  connect(table.flange, slidingBelow.flange_a);
  connect(slidingBelow.flange_b, lower.flange_a);
  connect(slidingBelow.v_rel, dry.relativeVelocity);
  connect(weightOfBoth.y, dry.normalForce);
  connect(dry.frictionForce, below.f);
  connect(below.flange_a, lower.flange_a);
  connect(below.flange_b, table.flange);
  connect(lower.flange_b, slidingBetween.flange_a);
  connect(slidingBetween.flange_b, upper.flange_a);
  connect(slidingBetween.v_rel, sticky.relativeVelocity);
  connect(weightOfUpper.y, sticky.normalForce);
  connect(sticky.frictionForce, between.f);
  connect(between.flange_a, upper.flange_a);
  connect(between.flange_b, lower.flange_b);
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 2, Interval = 0.001, Tolerance = 1e-8));
end TwoBlocks;
