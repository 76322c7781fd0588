"""Exudyn for joints.py: python3 joints_exudyn.py FOLDER JOB... (FOLDER: where pip put it). Status 77: not there.

Settings: `alpha` (generalized alpha, constraints at the level of places, spectral radius 0.9: the defaults),
`trapezoidal` (its implicit trapezoidal rule, constraints at the level of velocities). Bodies are in space, with Euler
parameters; with `flat` in the plane of x and z. Joints that close planar loops have two equations, in the plane, as its
equations must not say anything twice. Newton's method is as it comes (modified, 1e-8 relative); steps do not adapt. Of
chains matrices are sparse. The build without checks of ranges.
"""
import contextlib
import io
import math
import sys
import time

sys.path += sys.argv[1:2]
sys.exudynFast = True
try:
    with contextlib.redirect_stdout(io.StringIO()):  # it tells which build it is
        import exudyn
        import exudyn.itemInterface as items
        import numpy
        from exudyn.rigidBodyUtilities import RigidBodyInertia
    from scipy.spatial.transform import Rotation
except ImportError as missing:
    print(missing)
    sys.exit(77)
import joints_scenes as scenes

KINDS = exudyn.OutputVariableType
SENSED = (KINDS.Position, KINDS.RotationMatrix, KINDS.Velocity, KINDS.AngularVelocity)
SPARSE = 5  # bodies up to which dense matrices take less time
# Its plane is that of x and y: from the world into its axes.
FLAT = numpy.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)


class World:
    def __init__(self, name, h, setting):
        self.scene, self.h, words = scenes.SCENES[name], h, setting.split()
        self.solver = {"alpha": exudyn.DynamicSolverType.GeneralizedAlpha,
                       "trapezoidal": exudyn.DynamicSolverType.TrapezoidalIndex2}[words[0]]
        self.flat = words[1:] == ["flat"]
        self.container = exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.CreateGround()
        self.numbers = [self.flat_body(one) if self.flat else self.body(one) for one in self.scene.bodies]
        for joint in self.scene.joints:
            (self.flat_joint if self.flat else self.joint)(joint)
        self.sensors = []

    def number(self, body):
        return self.ground if body < 0 else self.numbers[body]

    # --- in space ---

    def body(self, one):
        inertia = RigidBodyInertia(mass=one["mass"], inertiaTensor=numpy.diag(one["inertia"]))
        return self.system.CreateRigidBody(
            inertia=inertia, referencePosition=one["position"], initialVelocity=one["velocity"],
            referenceRotationMatrix=scenes.matrix(one["quaternion"]), initialAngularVelocity=one["spin"],
            gravity=[0, 0, -scenes.G])

    def joint(self, joint):
        given = {"itemNumbers": [self.number(joint["one"]), self.number(joint["other"])], "position": joint["at"]}
        if joint["closes"]:
            self.system.CreateGenericJoint(constrainedAxes=[1, 0, 1, 0, 0, 0], **given)
        elif joint["kind"] == "spherical":
            self.system.CreateSphericalJoint(**given)
        elif joint["kind"] == "revolute":
            self.system.CreateRevoluteJoint(axis=joint["axis"], **given)
        else:
            self.system.CreatePrismaticJoint(axis=joint["axis"], **given)

    # --- in a plane ---

    def flat_body(self, one):
        place, velocity, spin = (FLAT @ one[key] for key in ("position", "velocity", "spin"))
        along = FLAT @ scenes.matrix(one["quaternion"])[:, 0]
        node = self.system.AddNode(items.NodeRigidBody2D(
            referenceCoordinates=[*place[:2], math.atan2(along[1], along[0])],
            initialVelocities=[*velocity[:2], spin[2]]))
        body = self.system.AddObject(items.ObjectRigidBody2D(mass=one["mass"], inertia=one["inertia"][1],
                                                             nodeNumber=node))
        marker = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        self.system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -scenes.G, 0]))
        return body

    def flat_joint(self, joint):
        markers = []
        for k in (joint["one"], joint["other"]):
            at = numpy.array(joint["at"])
            if k >= 0:
                one = self.scene.bodies[k]
                at = FLAT @ scenes.matrix(one["quaternion"]).T @ (at - one["position"])
            else:
                at = FLAT @ at
            kind = items.MarkerBodyRigid if joint["kind"] == "prismatic" else items.MarkerBodyPosition
            markers.append(self.system.AddMarker(kind(bodyNumber=self.number(k), localPosition=at)))
        if joint["kind"] == "prismatic":  # along x of both bodies
            self.system.AddObject(items.ObjectJointPrismatic2D(markerNumbers=markers, constrainRotation=True,
                                                               axisMarker0=[1, 0, 0], normalMarker1=[0, 1, 0]))
        else:
            self.system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    # --- steps ---

    def run(self, steps):
        """Whether it got to the end; processor time."""
        given = exudyn.SimulationSettings()
        given.timeIntegration.numberOfSteps, given.timeIntegration.endTime = steps, steps * self.h
        given.timeIntegration.adaptiveStep = False
        given.parallel.numberOfThreads = 1
        given.solution.file.write = False
        given.solution.sensors.writePeriod = self.h
        given.linearSolver.solverType = (exudyn.LinearSolverType.EigenSparse if len(self.numbers) > SPARSE
                                         else exudyn.LinearSolverType.EXUdense)
        start = time.process_time()
        with contextlib.redirect_stdout(sys.stderr):
            try:
                reached = self.system.SolveDynamic(given, solverType=self.solver, showCausingItems=False)
            except (ValueError, RuntimeError):  # Newton's method does not converge
                reached = False
        return reached, time.process_time() - start

    def states(self, steps):
        self.sensors = [[self.system.AddSensor(items.SensorBody(bodyNumber=body, outputVariableType=kind,
                                                                storeInternal=True)) for kind in SENSED]
                        for body in self.numbers]
        self.system.Assemble()
        self.run(steps)
        found = []
        for mine in self.sensors:
            tables = [self.system.GetSensorStoredData(sensor) for sensor in mine]
            times = tables[0][:, 0]
            kept = numpy.abs(times - self.h * numpy.arange(len(times))).max()
            if kept > 1e-3 * self.h:
                raise ArithmeticError(f"steps are not of {self.h} s")
            place, turned, velocity, spin = (table[:, 1:] for table in tables)
            found.append(self.row(place, turned.reshape(-1, 3, 3), velocity, spin))
        return numpy.stack(found, axis=1)

    def row(self, place, turned, velocity, spin):
        if self.flat:
            # The plane's x, y, z are x, z, -y here, of the world as of the bodies.
            place, velocity, spin = place @ FLAT, velocity @ FLAT, spin @ FLAT
            turned = FLAT.T @ turned @ FLAT
        turns = Rotation.from_matrix(turned).as_quat()[:, [3, 0, 1, 2]]
        return numpy.concatenate([place, turns, velocity, spin], axis=1)

    def spent_s(self, steps):
        """Less what a run of one step takes, with its setup."""
        self.system.Assemble()
        whole, first = self.run(steps)[1], self.run(1)[1]
        return (whole - first) * steps / (steps - 1)


scenes.serve(World, f"Exudyn {exudyn.__version__}")
