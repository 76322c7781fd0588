"""PyBullet for quasi_rigid.py: python3 quasi_pybullet.py FOLDER JOB... (FOLDER: where pip put it). 77: not there.

Settings: `default` (50 iterations), `hard` (500 iterations, none left out, whatever is left).
Dampings of bodies, which are not 0 by default, are set to 0.
"""
import importlib.metadata
import sys

sys.path += sys.argv[1:2]
try:
    import pybullet
except ImportError as missing:
    print(missing)
    sys.exit(77)
import quasi_scenes as scenes

CORNERS = 4000  # of the outline of what rocks


class World:
    def __init__(self, given, h, setting):
        if setting == "core":
            raise NotImplementedError("stiffness is a body's, not a shape's")
        self.given, is_hard = given, setting == "hard"
        pybullet.resetSimulation()
        pybullet.setGravity(given["push"], 0, -scenes.G)
        pybullet.setPhysicsEngineParameter(fixedTimeStep=h, numSubSteps=0)
        if is_hard:
            pybullet.setPhysicsEngineParameter(numSolverIterations=500, solverResidualThreshold=0)
        ground = pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE))
        self.body = pybullet.createMultiBody(1.0, self.shape())
        # Coefficients of a contact are products of both bodies'; torsion's has the ground's friction in it.
        pybullet.changeDynamics(ground, -1, lateralFriction=1.0, restitution=0)
        more = {"contactStiffness": scenes.STIFFNESS, "contactDamping": scenes.DAMPING} if given["layer"] else {}
        if given["shape"] == "ellipsoid":
            more["collisionMargin"] = 0  # it would make the hull thicker
        pybullet.changeDynamics(self.body, -1, lateralFriction=scenes.FRICTION, restitution=0, linearDamping=0,
                                angularDamping=0, spinningFriction=scenes.FRICTION * given["torsion"],
                                localInertiaDiagonal=given["inertia"], **more)
        self.reset()

    def shape(self):
        size, kind = self.given["size"], self.given["shape"]
        if kind == "sphere":
            return pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=size,
                                                 collisionFramePosition=[0, 0, self.given["above"]])
        if kind == "box":
            return pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[length / 2 for length in size])
        return pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=scenes.outline(CORNERS))

    def reset(self):
        w, x, y, z = scenes.start_quaternion(self.given)
        pybullet.resetBasePositionAndOrientation(self.body, [0, 0, self.given["z"]], [x, y, z, w])
        pybullet.resetBaseVelocity(self.body, self.given["velocity"], self.given["spin"])
        self.last_x = 0.0

    def advance(self, count):
        self.last_x = pybullet.getBasePositionAndOrientation(self.body)[0][0]
        for _ in range(count):
            pybullet.stepSimulation()

    def state(self):
        place, (x, y, z, w) = pybullet.getBasePositionAndOrientation(self.body)
        velocity, spin = pybullet.getBaseVelocity(self.body)
        return [*place, w, x, y, z, *velocity, *spin]

    def contacts(self):
        """Points are those of the start of the step."""
        return [[one[9], one[5][0] - self.last_x, 0] for one in pybullet.getContactPoints(self.body)]


pybullet.connect(pybullet.DIRECT)
scenes.serve(World, "PyBullet " + importlib.metadata.version("pybullet"))
