import type { StepUpRequiredError } from 'credit-gateway-sdk'

/** A question to the person, and what is told of the answer. */
export interface ProofRequest {
  readonly error: StepUpRequiredError
  readonly done: (isProven: boolean) => void
}

let ask: ((request: ProofRequest) => void) | null = null

/** Names who asks for proofs: the one dialog above all screens. Returns what ends that. */
export function answerProofRequests(answer: (request: ProofRequest) => void): () => void {
  ask = answer
  return () => {
    ask = null
  }
}

/** Asks the person for a new proof. False: it was declined. */
export function proveAgain(error: StepUpRequiredError): Promise<boolean> {
  return new Promise((done) => {
    if (ask) ask({ error, done })
    else done(false)
  })
}
