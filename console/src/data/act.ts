import { StepUpRequiredError } from 'credit-gateway-sdk'
import { useCallback, useRef, useState } from 'react'
import { queries } from '../api.ts'
import { proveAgain } from '../session/step-up.ts'

export interface Act<Input, Result> {
  /**
   * Runs the action. Null: it was refused, and `problem` says why; or the person has cancelled the
   * new proof.
   */
  readonly run: (input: Input) => Promise<Result | null>
  readonly isBusy: boolean
  readonly problem: Error | null
  /** Forgets the problem. */
  readonly reset: () => void
}

/**
 * An action of a person. Only the caller gets the answer: it may hold a secret, so nothing keeps
 * it. An action that needs a new proof is repeated after the proof.
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
      const result = await withProof(() => latest.current(input))
      // What needed attention may be done.
      void queries.invalidateQueries({ queryKey: ['attention'] })
      return result
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
      return null
    } finally {
      setBusy(false)
    }
  }, [])
  const reset = useCallback(() => setProblem(null), [])
  return { run, isBusy, problem, reset }
}

async function withProof<Result>(act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof StepUpRequiredError)) throw error
    return (await proveAgain(error)) ? act() : null
  }
}
