"""YADE, W1: N spheres, each on its own, 4 m apart; Hertz-Mindlin with the restitution EN in all of them.

    N=100 EN=0.7 T=1 DT=1e-5 yade -j1 -n -x w1_yade.py      prints a line of JSON
"""
import json
import os
import time

from yade import *

count, restitution = int(os.environ.get("N", "100")), float(os.environ.get("EN", "0.7"))
end_s, step_s = float(os.environ.get("T", "1")), float(os.environ.get("DT", "1e-5"))
steel = O.materials.append(FrictMat(young=2e11, poisson=0.3, frictionAngle=0.29, density=7850))
O.bodies.append(utils.wall(0, axis=2, sense=1, material=steel))
heights = {}
for k in range(count):
    height = 0.8 + 0.4 * (k * 104729 % 1000) / 999
    heights[O.bodies.append(utils.sphere((4 * (k % 32), 4 * (k // 32), 0.1 + height), 0.1, material=steel))] = height
O.engines = [ForceResetter(), InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.02),
             InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                             [Ip2_FrictMat_FrictMat_MindlinPhys(en=restitution, es=restitution)],
                             [Law2_ScGeom_MindlinPhys_Mindlin()]),
             NewtonIntegrator(damping=0, gravity=(0, 0, -9.81))]
O.dt = step_s


def realised(body, height):
    state = O.bodies[body].state
    return ((state.pos[2] + state.vel[2]**2 / 2 / 9.81 - 0.1) / height)**0.5


# The restitution is read at 0.6 s, between the first impact and the second; the time is that of all steps.
start_s = time.process_time()
O.run(int(round(0.6 / step_s)), True)
errors = [realised(body, height) - restitution for body, height in heights.items()]
O.run(int(round((end_s - 0.6) / step_s)), True)
print("JSON " + json.dumps({"peer": "YADE", "setting": "%g ms, e = %g, packed" % (1e3 * step_s, restitution),
                            "workload": "W1", "scenes": count, "cpu_s": time.process_time() - start_s,
                            "restitution_bias": sum(errors) / len(errors), "restitution_worst": max(map(abs, errors))}))
