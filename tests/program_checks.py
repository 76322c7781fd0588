"""What checks of the program share: running it, and counting what is wrong. Arguments: PROGRAM SOURCE_FOLDER."""
import os
import subprocess
import sys

PROGRAM, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
failures = []


def check(is_right, sentence):
    if not is_right:
        failures.append(sentence)
        print("wrong:", sentence)


def clack(*words, code=0, says="", **more):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    check(done.returncode == code, f"{' '.join(words)}: exit code {done.returncode}, expected {code}\n{done.stderr}")
    check(says in done.stderr, f"{' '.join(words)}: \"{says}\" is not in\n{done.stderr}")
    return done
