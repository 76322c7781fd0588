"""Drake for quasi_rigid.py: python3 quasi_drake.py FOLDER JOB... (FOLDER: where pip put it). Status 77: not there.

Settings: one of Drake's discrete solvers (sap, lagged, similar, tamsi) with all else as it comes; after it ` hard`:
stiffness for a 100th of the penetration, slip of stiction 1e-6 m/s (of SAP, without it, this changes nothing);
` face`: hydroelastic contact, of a box itself, not of a ball of 1 mm in each lower corner (point contact has one point
for a box), and of a disc with the same torsion in place of a ball; ` core`: a second ball within the first.
"""
import importlib.metadata
import sys

sys.path += sys.argv[1:2]
try:
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import (AddCompliantHydroelasticProperties, AddContactMaterial,
                                  AddRigidHydroelasticProperties, Box, Cylinder, Ellipsoid, HalfSpace,
                                  ProximityProperties, Sphere)
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialVelocity
    from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder
except ImportError as missing:
    print(missing)
    sys.exit(77)
import quasi_scenes as scenes

CORNER, MODULUS, EDGE = 1e-3, 1e5, 0.02  # m; Pa and m of hydroelastic bodies: at rest 0.01 to 0.07 mm deep
DISC, DISC_HEIGHT = 1.5 * scenes.TORSION, 0.1  # m: pressed evenly, 2/3 of its radius is the lever of its torsion
SOFT_RELAXATION = scenes.DAMPING / scenes.STIFFNESS


def properties(stiffness=None, relaxation=None, is_face=False, is_ground=False):
    made = ProximityProperties()
    AddContactMaterial(None, stiffness, CoulombFriction(scenes.FRICTION, scenes.FRICTION), made)
    if relaxation is not None:
        made.AddProperty("material", "relaxation_time", relaxation)
    if is_face and is_ground:
        AddRigidHydroelasticProperties(made)
    elif is_face:
        AddCompliantHydroelasticProperties(EDGE, MODULUS, made)
    return made


class World:
    def __init__(self, given, h, setting):
        self.given, (solver, *more) = given, setting.split()
        builder, is_face = DiagramBuilder(), "face" in more
        if given["torsion"] and not is_face:
            raise NotImplementedError("friction in a point has no moment")
        config = MultibodyPlantConfig(time_step=h, discrete_contact_approximation=solver,
                                      contact_model="hydroelastic" if is_face else "point")
        if "hard" in more:
            config.penetration_allowance, config.stiction_tolerance = 1e-5, 1e-6
        self.plant, _ = AddMultibodyPlant(config, builder)
        inertia = SpatialInertia(1.0, [0, 0, 0], UnitInertia(*given["inertia"]))
        self.body = self.plant.AddRigidBody("body", inertia)
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), RigidTransform(), HalfSpace(), "ground",
                                             properties(is_face=is_face, is_ground=True))
        for k, (shape, place, made) in enumerate(self.shapes(more)):
            self.plant.RegisterCollisionGeometry(self.body, RigidTransform(place), shape, f"shape_{k}", made)
        self.plant.mutable_gravity_field().set_gravity_vector([given["push"], 0, -scenes.G])
        self.plant.Finalize()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.start, self.h = self.root.Clone(), h
        self.reset()

    def shapes(self, more):
        size, kind = self.given["size"], self.given["shape"]
        if kind == "ellipsoid":
            return [(Ellipsoid(*size), [0, 0, 0], properties())]
        if self.given["torsion"]:
            low = self.given["above"] - size + DISC_HEIGHT / 2
            return [(Cylinder(DISC, DISC_HEIGHT), [0, 0, low], properties(is_face=True))]
        if kind == "box" and "face" in more:
            return [(Box(*size), [0, 0, 0], properties(is_face=True))]
        if kind == "box":
            x, y, z = (length / 2 for length in size)
            return [(Sphere(CORNER), [p, q, CORNER - z], properties()) for p in (-x, x) for q in (-y, y)]
        soft = properties(scenes.STIFFNESS, SOFT_RELAXATION) if self.given["layer"] else properties()
        inner = [(Sphere(size - scenes.THICKNESS), [0, 0, 0], properties())] if "core" in more else []
        return [(Sphere(size), [0, 0, 0], soft)] + inner

    def reset(self):
        self.root.SetTimeStateAndParametersFrom(self.start)
        self.plant.SetFreeBodyPose(self.context, self.body, RigidTransform(
            Quaternion(scenes.start_quaternion(self.given)), [0, 0, self.given["z"]]))
        self.plant.SetFreeBodySpatialVelocity(self.context, self.body,
                                              SpatialVelocity(self.given["spin"], self.given["velocity"]))
        self.simulator.Initialize()
        self.taken, self.last_x = 0, 0.0

    def advance(self, count):
        self.last_x = self.place().translation()[0]
        self.taken += count
        self.simulator.AdvanceTo(self.taken * self.h)

    def place(self):
        return self.plant.EvalBodyPoseInWorld(self.context, self.body)

    def state(self):
        place, moves = self.place(), self.plant.EvalBodySpatialVelocityInWorld(self.context, self.body)
        return [*place.translation(), *place.rotation().ToQuaternion().wxyz(), *moves.translational(),
                *moves.rotational()]

    def contacts(self):
        """Of the step that was taken: x is that of its start; patches by force and moment about their middle."""
        found, results = [], self.plant.get_contact_results_output_port().Eval(self.context)
        x = self.last_x
        for k in range(results.num_point_pair_contacts()):
            one = results.point_pair_contact_info(k)
            found.append([abs(one.contact_force()[2]), one.contact_point()[0] - x, one.point_pair().depth])
        for k in range(results.num_hydroelastic_contacts()):
            one = results.hydroelastic_contact_info(k)
            force, moment = one.F_Ac_W().translational(), one.F_Ac_W().rotational()
            found.append([abs(force[2]), one.contact_surface().centroid()[0] - x - moment[1] / force[2], 0])
        return found


scenes.serve(World, "Drake " + importlib.metadata.version("drake"))
