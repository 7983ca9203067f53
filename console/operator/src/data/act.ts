import { useCallback, useRef, useState } from 'react'
import type { Act } from '../../../src/data/act.ts'
import { ProofRequiredError, queries } from '../api.ts'
import { proveAgain } from '../session/step-up.ts'

/** How long an act may take. */
export const actMs = 40_000

/**
 * An act of the operator. What the page shows is read again afterwards. An act that needs a new proof is
 * repeated after the proof.
 */
export function useAct<Input = void, Result = void>(
  act: (input: Input) => Promise<Result>,
): Act<Input, Result> {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error | null>(null)
  const latest = useRef(act)
  latest.current = act

  const run = useCallback(async (input: Input) => {
    setBusy(true)
    setProblem(null)
    try {
      return await withProof(() => latest.current(input))
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
      return null
    } finally {
      setBusy(false)
      // Also after a failure: the act may have taken effect.
      void queries.invalidateQueries()
    }
  }, [])
  const reset = useCallback(() => setProblem(null), [])
  return { run, isBusy, problem, reset }
}

async function withProof<Result>(act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ProofRequiredError) || error.code !== 'STEP_UP_REQUIRED') throw error
    return (await proveAgain(error.methods)) ? act() : null
  }
}
