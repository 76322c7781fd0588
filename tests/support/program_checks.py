"""What checks of the program share: running it, and counting what is wrong. Arguments: PROGRAM [SOURCE_FOLDER]."""
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
failures = []


def check(is_right, sentence):
    if not is_right:
        failures.append(sentence)
        print("wrong:", sentence)


def clack(*words, code=0, says="", **more):
    """Run the program; its exit code (None: any) and a part of what it says on stderr must be these."""
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    check(code in (None, done.returncode),
          f"{' '.join(words)}: exit code {done.returncode}, expected {code}\n{done.stderr}")
    check(says in done.stderr, f"{' '.join(words)}: \"{says}\" is not in\n{done.stderr}")
    return done
