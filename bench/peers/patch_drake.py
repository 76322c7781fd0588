"""Drake's hydroelastic contact, for patches.py: python3 patch_drake.py FOLDER JOB... (FOLDER: where pip put Drake)

A job is JSON, as patches.py writes it: {"kind": "force" | "impact" | "slope", "body": "mesh" | "ball" | "pair", ...}.
`mesh`: a rigid mesh on a compliant layer below z = 0; `ball`: a compliant ball, cut into tetrahedra, on a rigid
half-space; `pair`: that on another one, whose top is at z = 0. Prints a line of JSON for each job. Exit status 77:
Drake is not there.
"""
import json
import sys
import time

sys.path += sys.argv[1:2]
try:
    import numpy
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import (AddCompliantHydroelasticProperties, AddCompliantHydroelasticPropertiesForHalfSpace,
                                  AddContactMaterial, AddRigidHydroelasticProperties, HalfSpace, Mesh,
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


def properties(job, is_soft, is_layer):
    made = ProximityProperties()
    AddContactMaterial(job.get("dissipation", 0.0), None, CoulombFriction(job.get("friction", 0.0),
                                                                          job.get("friction", 0.0)), made)
    if is_layer:
        AddCompliantHydroelasticPropertiesForHalfSpace(job["depth"], job["modulus"], made)
    elif is_soft:
        AddCompliantHydroelasticProperties(job["edge"], job["modulus"], made)
    else:
        AddRigidHydroelasticProperties(made)
    return made


class World:
    """A body over the half-space. Steps of 0: continuous, with error control."""

    def __init__(self, job):
        builder = DiagramBuilder()
        step = job.get("step", 0.0)
        config = MultibodyPlantConfig(time_step=step, contact_model="hydroelastic",
                                      contact_surface_representation=job.get("representation", "polygon"))
        if step > 0:
            config.discrete_contact_approximation = job["approximation"]
        if "transition" in job:
            config.stiction_tolerance = job["transition"]
        self.plant, _ = AddMultibodyPlant(config, builder)
        mass, inertia = job.get("mass", 1.0), job.get("inertia", 1.0)
        gyration = UnitInertia(*[inertia / mass] * 3)
        self.body = self.plant.AddRigidBody("body", SpatialInertia(mass, [0, 0, 0], gyration))
        is_mesh, is_pair = job["body"] == "mesh", job["body"] == "pair"
        shape = Mesh(job["mesh"]) if is_mesh else Sphere(job["radius"])
        self.plant.RegisterCollisionGeometry(self.body, RigidTransform(), shape, "body",
                                             properties(job, not is_mesh, False))
        low = RigidTransform([0, 0, -job["radius"] if is_pair else 0])
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), low, shape if is_pair else HalfSpace(), "ground",
                                             properties(job, is_mesh or is_pair, is_mesh))
        self.plant.mutable_gravity_field().set_gravity_vector(job.get("gravity", [0, 0, 0]))
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.context = self.diagram.CreateDefaultContext()
        self.inner = self.plant.GetMyMutableContextFromRoot(self.context)

    def place(self, pose):
        self.plant.SetFreeBodyPose(self.inner, self.body, RigidTransform(Quaternion(pose[3:]), pose[:3]))

    def wrench(self):
        """On the body, about its origin."""
        results = self.plant.get_contact_results_output_port().Eval(self.inner)
        force, moment = numpy.zeros(3), numpy.zeros(3)
        for k in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(k)
            on_first = info.F_Ac_W()
            inspector = self.diagram.GetSubsystemByName("scene_graph").model_inspector()
            frame = inspector.GetFrameId(info.contact_surface().id_M())
            sign = 1 if self.plant.GetBodyFromFrameId(frame).name() == "body" else -1
            f = sign * on_first.translational()
            origin = self.plant.EvalBodyPoseInWorld(self.inner, self.body).translation()
            arm = info.contact_surface().centroid() - origin
            force += f
            moment += sign * on_first.rotational() + numpy.cross(arm, f)
        return force.tolist() + moment.tolist()

    def evaluate_s(self, poses, rounds):
        """Processor time of the time derivatives of each pose: contact surface, forces, accelerations."""
        start = time.process_time()
        for _ in range(rounds):
            for pose in poses:
                self.place(pose)
                self.plant.EvalTimeDerivatives(self.inner)
        return (time.process_time() - start) / (rounds * len(poses))


def forces(job):
    world = World(job)
    poses = [numpy.array(pose) for pose in job["poses"]]
    away = [pose + [0, 0, 10, 0, 0, 0, 0] for pose in poses]  # the same calls, without a contact
    found = []
    for pose in poses:
        world.place(pose)
        found.append(world.wrench())
    return {"forces": found, "cpu_s": world.evaluate_s(poses, job["rounds"]) * len(poses) * job["rounds"],
            "evaluations": len(poses) * job["rounds"], "call_s": world.evaluate_s(away, job["rounds"])}


def simulator(world, job):
    """With the accuracy of a continuous plant (Drake's default integrator, Runge-Kutta 3 with error control)."""
    made = Simulator(world.diagram, world.context)
    if "accuracy" in job:
        integrator = made.get_mutable_integrator()
        integrator.set_target_accuracy(job["accuracy"])
        integrator.set_maximum_step_size(job["end"])
        integrator.request_initial_step_size_target(job["end"] / 1000)
    return made


def start_impact(world, job, pose):
    world.context.SetTime(0)
    world.place(numpy.array(pose))
    world.plant.SetFreeBodySpatialVelocity(world.inner, world.body, SpatialVelocity([0, 0, 0], [0, 0, -job["speed"]]))


def impacts(job):
    world, done = World(job), {"impacts": [], "cpu_s": 0.0, "steps": 0.0, "evaluations": 0.0}
    run = simulator(world, job)
    n = len(job["poses"])
    for pose in job["poses"]:
        start_impact(world, job, pose)
        run.Initialize()
        run.ResetStatistics()
        start = time.process_time()
        run.AdvanceTo(job["end"])
        done["cpu_s"] += (time.process_time() - start) / n
        if job.get("step", 0) > 0:
            done["steps"] += round(job["end"] / job["step"]) / n
        else:
            done["steps"] += run.get_num_steps_taken() / n
            done["evaluations"] += run.get_integrator().get_num_derivative_evaluations() / n
        velocity = world.plant.EvalBodySpatialVelocityInWorld(world.inner, world.body).translational()[2]
        done["impacts"].append(velocity)
    return done


def slope(job):
    world = World(job)
    world.place(numpy.array(job["poses"][0]))
    spin = SpatialVelocity([0, 0, job.get("spin", 0.0)], [0, 0, 0])
    world.plant.SetFreeBodySpatialVelocity(world.inner, world.body, spin)
    run = simulator(world, job)
    run.Initialize()
    start = time.process_time()
    places = []
    for end in (job["end"] / 2, job["end"]):
        run.AdvanceTo(end)
        places.append(world.plant.EvalBodyPoseInWorld(world.inner, world.body).translation()[0])
    velocity = world.plant.EvalBodySpatialVelocityInWorld(world.inner, world.body)
    return {"cpu_s": time.process_time() - start, "half_m": places[0], "way_m": places[1],
            "spin": velocity.rotational()[2]}


for text in sys.argv[2:]:
    given = json.loads(text)
    print(json.dumps({"force": forces, "impact": impacts, "slope": slope}[given["kind"]](given)))
