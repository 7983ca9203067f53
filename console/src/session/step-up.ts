import type { StepUpRequiredError } from 'credit-gateway-sdk'

/** A request for a proof, and the function that receives the result. */
export interface ProofRequest {
  readonly error: StepUpRequiredError
  readonly done: (isProven: boolean) => void
}

let ask: ((request: ProofRequest) => void) | null = null

/**
 * Registers the dialog that asks for proofs: the one above all screens. Returns a function that
 * removes it.
 */
export function answerProofRequests(answer: (request: ProofRequest) => void): () => void {
  ask = answer
  return () => {
    ask = null
  }
}

/** Asks the person for a new proof. False: the person cancelled it. */
export function proveAgain(error: StepUpRequiredError): Promise<boolean> {
  return new Promise((done) => {
    if (ask) ask({ error, done })
    else done(false)
  })
}
