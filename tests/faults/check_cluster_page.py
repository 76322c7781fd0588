#!/usr/bin/env python3
"""The commands of the page "Clusters", as they are written, by the launchers that are installed.

usage: check_cluster_page.py PROGRAM ROOT

Slurm (as root, with daemons of its own on this host), MPI's mpirun, Snakemake, GNU parallel: a part for each of 8 tasks
and the same file in the end, bit by bit. Those that are missing are told. Exit code 0: all is well; 1: a check failed;
77: none of them is there.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import STUDY, contents, differences, without_command
from program_checks import PROGRAM, check, clack, failures

PAGE = os.path.join(sys.argv[2], "host", "command", "clusters.md")
TASKS = 8 # in place of the page's 64
PATIENCE_S = 240
SLURM = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={other_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def blocks(heading):
    """The code blocks below a heading of the page, with fewer tasks."""
    with open(PAGE, encoding="utf-8") as text:
        section = re.split(rf"^## {heading}$", text.read(), flags=re.M)[1].split("\n## ")[0]
    found = re.findall(r"^```\w*\n(.*?)^```$", section, re.M | re.S) + re.findall(r"`(mpirun [^`]*)`", section)
    return [block.replace("64", str(TASKS)) for block in found]


def shell(text, **more):
    done = subprocess.run(["sh", "-ec", text], capture_output=True, text=True, timeout=PATIENCE_S, **more)
    check(done.returncode == 0, f"{text}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def check_file(whole, what):
    if not os.path.exists("study.h5"):
        check(False, f"{what}: no study.h5 in {sorted(os.listdir('.'))}")
        return
    different = differences(whole, without_command(contents("study.h5")))
    check(different == [], f"{what}: study.h5 differs in {different}")
    for name in os.listdir("."):
        if re.match(r"study\..*h5", name):
            os.remove(name)


# --- Slurm -------------------------------------------------------------------------------------------


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start_slurm(folder):
    """Daemons on this host, as processes to be ended. None: they do not come up here."""
    host = socket.gethostname().split(".")[0]
    port, other_port = free_ports(2)
    for name in ("state", "spool"):
        os.makedirs(f"{folder}/{name}")
    with open(f"{folder}/slurm.conf", "w") as out:
        out.write(SLURM.format(host=host, folder=folder, port=port, other_port=other_port, cores=os.cpu_count()))
    with open(f"{folder}/munge.key", "wb") as out:
        out.write(os.urandom(128))
    os.chmod(f"{folder}/munge.key", 0o400)
    os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"
    own = [f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key", f"--pid-file={folder}/munged.pid",
           f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    daemons = [subprocess.Popen(["munged", "--foreground", "--force", *own], **quiet)]
    time.sleep(1)
    daemons += [subprocess.Popen([name, "-D"], **quiet) for name in ("slurmctld", "slurmd")]
    for _ in range(60):
        if "idle" in subprocess.run(["sinfo", "-h"], capture_output=True, text=True).stdout:
            return daemons
        time.sleep(0.5)
    end_slurm(daemons)
    return None


def end_slurm(daemons):
    for daemon in reversed(daemons):
        daemon.send_signal(signal.SIGTERM)
    for daemon in daemons:
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()


def wait_for_jobs():
    """Until the queue is empty; jobs that put themselves there again are held for seconds. Returns how often."""
    again = 0
    for _ in range(PATIENCE_S):
        told = subprocess.run(["scontrol", "show", "job"], capture_output=True, text=True).stdout
        again = max([again, sum(int(count) for count in re.findall(r"Restarts=(\d+)", told))])
        if not subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout.strip():
            return again
        time.sleep(1)
    check(False, "Slurm: jobs are still there: " + subprocess.run(["squeue"], capture_output=True, text=True).stdout)
    return again


def check_slurm(whole):
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    daemons = start_slurm(folder)
    if daemons is None:
        print("Slurm: its daemons do not start here")
        shutil.rmtree(folder)
        return
    try:
        script, commands = blocks("Slurm")
        # One task needs several goes; one core a task.
        script = script.replace("55m", "0.05").replace("-q\n", "-q --batch 1 --checkpoint 0\n", 1)
        with open("study.sh", "w") as out:
            out.write(script.replace("--cpus-per-task=8", "--cpus-per-task=1"))
        shell(commands)
        again = wait_for_jobs()
        check(again > 0, "Slurm: no task was put in the queue again")
        check_file(whole, "Slurm")
        if failures:
            for name in sorted(os.listdir(".")):
                if name.startswith("slurm-"):
                    print(name, open(name).read())
    finally:
        end_slurm(daemons)
        shutil.rmtree(folder, ignore_errors=True)


# --- others ------------------------------------------------------------------------------------------


def check_mpi(whole):
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    shell(blocks("MPI launchers")[0], env={**os.environ, **as_root})
    shell("clack merge study.*of%d.h5 -o study.h5" % TASKS)
    check_file(whole, "mpirun")


def check_snakemake(whole):
    with open("Snakefile", "w") as out:
        out.write(blocks("Snakemake")[0])
    shell("snakemake --cores 2 --quiet")
    check_file(whole, "Snakemake")


def check_parallel(whole):
    with open("nodes", "w") as out:
        out.write(":\n") # this host
    shell(blocks("GNU parallel")[0])
    check_file(whole, "GNU parallel")


def main():
    launchers = [("Slurm", ["slurmctld", "slurmd", "munged", "sbatch"], check_slurm), ("MPI", ["mpirun"], check_mpi),
                 ("Snakemake", ["snakemake"], check_snakemake), ("GNU parallel", ["parallel"], check_parallel)]
    os.environ["PATH"] = os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"] + ":/usr/sbin"
    there = []
    for name, programs, run in launchers:
        missing = [program for program in programs if not shutil.which(program)]
        if name == "Slurm" and os.geteuid() != 0:
            missing.append("root")
        print(f"{name}: {'lacks ' + ', '.join(missing) if missing else 'is tried'}")
        if not missing:
            there.append(run)
    if not there:
        return 77
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "whole.h5")
    whole = without_command(contents("whole.h5"))
    os.remove("whole.h5")
    for run in there:
        run(whole)
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    scratch = tempfile.mkdtemp()
    try:
        os.chdir(scratch)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        code = main()
    finally:
        os.chdir("/")
        shutil.rmtree(scratch)
    sys.exit(code)
