package Bristle "Friction elements with flanges: the law is an imported FMU, chosen by one modifier"
  partial model TranslationalLaw "What every FMU of a scalar friction element has"
    Modelica.Blocks.Interfaces.RealInput normalForce "Force that presses the surfaces together [N]";
    Modelica.Blocks.Interfaces.RealInput relativeVelocity "Velocity of the body relative to its counterpart [m/s]";
    Modelica.Blocks.Interfaces.RealOutput frictionForce "Friction force with the sign of the sliding velocity [N]";
    Modelica.Blocks.Interfaces.RealOutput dissipatedPower "Power that the element takes from the moving bodies [W]";
  end TranslationalLaw;

  partial model RotationalLaw "What every FMU of a rotational twin has"
    Modelica.Blocks.Interfaces.RealInput normalForce "Force that presses the surfaces together [N]";
    Modelica.Blocks.Interfaces.RealInput relativeAngularVelocity "Angular velocity of the body relative to its counterpart [rad/s]";
    Modelica.Blocks.Interfaces.RealOutput frictionTorque "Friction torque with the sign of the sliding velocity [N.m]";
    Modelica.Blocks.Interfaces.RealOutput dissipatedPower "Power that the element takes from the moving bodies [W]";
  end RotationalLaw;

  partial model Pressed "A normal force that is constant or an input"
    parameter Boolean useNormalForce = false "true: the normal force is an input" annotation(Evaluate = true, choices(checkBox = true));
    parameter Real constantNormalForce(unit = "N") = 9.81 "Normal force" annotation(Dialog(enable = not useNormalForce));
    Modelica.Blocks.Interfaces.RealInput normalForce(unit = "N") if useNormalForce "Normal force"
      annotation(Placement(transformation(origin = {0, 120}, extent = {{-20, -20}, {20, 20}}, rotation = 270)));
  protected
    Modelica.Blocks.Interfaces.RealInput pressing(unit = "N") "The normal force that acts";
  equation
    connect(normalForce, pressing);
    if not useNormalForce then
      pressing = constantNormalForce;
    end if;
  end Pressed;

  model Translational "Friction between two flanges; the body is at flange_b, its counterpart at flange_a"
    extends Modelica.Mechanics.Translational.Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    extends Pressed;
    replaceable model Law = TranslationalLaw "The imported FMU, such as LuGre_me_FMU(staticFriction = 0.5)";
    Law law;
  equation
    law.normalForce = pressing;
    law.relativeVelocity = v_rel;
    f = law.frictionForce;
    lossPower = law.dissipatedPower;
  end Translational;

  model Rotational "Friction between two flanges that turn; the body is at flange_b, its counterpart at flange_a"
    extends Modelica.Mechanics.Rotational.Interfaces.PartialCompliantWithRelativeStates;
    extends Modelica.Thermal.HeatTransfer.Interfaces.PartialElementaryConditionalHeatPortWithoutT;
    extends Pressed;
    replaceable model Law = RotationalLaw "The imported FMU, such as LuGreRotational_me_FMU(frictionRadius = 0.02)";
    Law law;
  equation
    law.normalForce = pressing;
    law.relativeAngularVelocity = w_rel;
    tau = law.frictionTorque;
    lossPower = law.dissipatedPower;
  end Rotational;
end Bristle;
