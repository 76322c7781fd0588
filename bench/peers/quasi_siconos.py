"""Siconos for quasi_rigid.py: python3 quasi_siconos.py FOLDER JOB... (FOLDER: where its packages lie). 77: not there.

Moreau's time stepping (theta 1/2) with Coulomb friction, in the plane of motion, with relations that are linear: those
of a ball are, and those of a box that does not tilt. Others, called back in Python, ended the Debian package's modules
by a fault, and Bullet's contact points lay up to centimetres beside those of balls and boxes of 1 m.
"""
import sys

sys.path += [sys.argv[1] + "/usr/lib/python3/dist-packages"]
try:
    import numpy
    import siconos.kernel as kernel
    import siconos.numerics as numerics
except ImportError as missing:
    print(missing)
    sys.exit(77)
import quasi_scenes as scenes

VERSION = "4.4.0"  # of the Debian package; the modules do not tell


class World:
    """Coordinates: x, z, and the angle about y."""

    def __init__(self, given, h, setting):
        if given["torsion"]:
            raise NotImplementedError("friction in a point has no moment")
        if given["layer"]:
            raise NotImplementedError("contacts are rigid")
        if given["tilt"]:
            raise NotImplementedError("relations that are not linear")
        self.given, self.h = given, h
        self.reset()

    def arms(self):
        """From the centre to the contact points, x and z."""
        size = self.given["size"]
        return [(0.0, -size)] if self.given["shape"] == "sphere" else [(x, -size[2] / 2) for x in (-size[0] / 2,
                                                                                                    size[0] / 2)]

    def reset(self):
        """All is built anew: simulations cannot be set back."""
        given = self.given
        self.body = kernel.LagrangianLinearTIDS([0, given["z"], 0], [given["velocity"][0], 0, given["spin"][1]],
                                                numpy.diag([1.0, 1.0, given["inertia"][1]]))
        self.weight = numpy.array([given["push"], -scenes.G, 0])
        self.body.setFExtPtr(self.weight)
        self.model = kernel.NonSmoothDynamicalSystem(0, given["end"] + 2 * self.h)
        self.model.insertDynamicalSystem(self.body)
        self.law = kernel.NewtonImpactFrictionNSL(0, 0, scenes.FRICTION, 2)
        self.ties = []
        for x, z in self.arms():
            relation = kernel.LagrangianLinearTIR(numpy.array([[0, 1, -x], [1, 0, z]]), numpy.array([z, 0.0]))
            self.ties.append(kernel.Interaction(self.law, relation))
            self.model.link(self.ties[-1], self.body)
        problem = kernel.FrictionContact(2)
        problem.numericsSolverOptions().iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 10000
        problem.numericsSolverOptions().dparam[numerics.SICONOS_DPARAM_TOL] = 1e-12
        self.stepper = kernel.TimeStepping(self.model, kernel.TimeDiscretisation(0, self.h))
        self.stepper.insertIntegrator(kernel.MoreauJeanOSI(0.5))
        self.stepper.insertNonSmoothProblem(problem)

    def advance(self, count):
        for _ in range(count):
            self.stepper.computeOneStep()
            self.stepper.nextStep()

    def state(self):
        (x, z, angle), (vx, vz, spin) = self.body.q(), self.body.velocity()
        return [x, 0, z, numpy.cos(angle / 2), 0, numpy.sin(angle / 2), 0, vx, 0, vz, 0, spin, 0]

    def contacts(self):
        """Impulses over the step."""
        return [[tie.lambda_(1)[0] / self.h, arm[0], 0] for tie, arm in zip(self.ties, self.arms())]


scenes.serve(World, f"Siconos {VERSION}")
