interface BreakerOwnersOptions {
  /** Tells a worker that a breaker has opened or closed. */
  readonly tell: (worker: number, module: string, isOpen: boolean) => void
  readonly workers: () => Iterable<number>
}

/** The open breakers of a gateway. The worker whose breaker opened first probes the module for all. */
export interface BreakerOwners {
  /** Notes that the breaker of a worker has opened or closed by itself. */
  note(worker: number, module: string, isOpen: boolean): void
  /** Closes the breakers of a worker that has ended, because no other worker would close them. */
  release(worker: number): void
  /** The modules that this worker must refuse, because the breaker of another worker is open. */
  openElsewhere(worker: number): string[]
}

export function createBreakerOwners({ tell, workers }: BreakerOwnersOptions): BreakerOwners {
  const owners = new Map<string, number>()

  function tellOthers(owner: number, module: string, isOpen: boolean): void {
    for (const worker of workers()) if (worker !== owner) tell(worker, module, isOpen)
  }

  function close(owner: number, module: string): void {
    owners.delete(module)
    tellOthers(owner, module, false)
  }

  return {
    note(worker, module, isOpen) {
      const owner = owners.get(module)
      if (!isOpen) {
        if (owner === worker) close(worker, module)
      } else if (owner === undefined) {
        owners.set(module, worker)
        tellOthers(worker, module, true)
      } else if (owner !== worker) {
        // Another worker opened its breaker at the same moment and probes the module: one probe is enough.
        tell(worker, module, true)
      }
    },
    release(worker) {
      for (const [module, owner] of owners) if (owner === worker) close(worker, module)
    },
    openElsewhere: (worker) =>
      [...owners].filter(([, owner]) => owner !== worker).map(([module]) => module),
  }
}
