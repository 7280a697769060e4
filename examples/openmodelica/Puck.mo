model Puck "A body slides over a table in both directions until it sticks: a spatial element"
  parameter Real mass(unit = "kg") = 1 "Mass of the body";
  parameter Real gravity(unit = "m/s2") = 9.81 "Acceleration of gravity";
  Real position[2](each unit = "m", each start = 0, each fixed = true) "On the table";
  Real velocity[2](each unit = "m/s", start = {0.3, 0.4}, each fixed = true) "On the table";
  ProjectedLuGre_me_FMU friction "Vectors arrive as scalars, relativeVelocity[1] as relativeVelocity_1_";
equation
  friction.normalForce = mass * gravity;
  friction.contactNormal_1_ = 0;
  friction.contactNormal_2_ = 0;
  friction.contactNormal_3_ = 1;
  friction.relativeVelocity_1_ = velocity[1];
  friction.relativeVelocity_2_ = velocity[2];
  friction.relativeVelocity_3_ = 0;
  der(position) = velocity;
  mass * der(velocity) = -{friction.frictionForce_1_, friction.frictionForce_2_};
  annotation(
    __OpenModelica_commandLineOptions = "--allowNonStandardModelica=reinitInAlgorithms",
    experiment(StartTime = 0, StopTime = 1, Interval = 0.001, Tolerance = 1e-8));
end Puck;
