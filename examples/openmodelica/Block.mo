model Block "A block on a table, on a spring and pushed to and fro: one friction element among parts of the standard library"
  Modelica.Mechanics.Translational.Components.Fixed table;
  Modelica.Mechanics.Translational.Components.Spring spring(c = 100);
  Modelica.Mechanics.Translational.Components.Mass body(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true));
  Modelica.Mechanics.Translational.Sources.Force push;
  Modelica.Mechanics.Translational.Sources.Force drag;
  Modelica.Mechanics.Translational.Sensors.SpeedSensor speed;
  Modelica.Blocks.Sources.RealExpression load(y = 8 * sin(6 * time));
  Modelica.Blocks.Sources.Constant weight(k = 9.81);
  Modelica.Blocks.Math.Gain against(k = -1) "The friction force is subtracted from the equation of motion";
  LuGre_me_FMU friction(staticFriction = 0.5, dynamicFriction = 0.4, bristleDeflectionStart = 0);
equation
  connect(table.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(load.y, push.f);
  connect(push.flange, body.flange_b);
  connect(body.flange_b, speed.flange);
  connect(speed.v, friction.relativeVelocity);
  connect(weight.y, friction.normalForce);
  connect(friction.frictionForce, against.u);
  connect(against.y, drag.f);
  connect(drag.flange, body.flange_b);
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 2, Interval = 0.001, Tolerance = 1e-8));
end Block;
