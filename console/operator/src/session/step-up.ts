import type { SignInMethod } from '../api.ts'

/** A request for a proof, and the function that receives the result. */
export interface ProofRequest {
  readonly methods: readonly SignInMethod[]
  readonly done: (isProven: boolean) => void
}

let answer: ((request: ProofRequest) => void) | null = null

/** Registers the one dialog that asks for proofs. Returns a function that removes it. */
export function answerProofRequests(by: (request: ProofRequest) => void): () => void {
  answer = by
  return () => {
    answer = null
  }
}

/** Asks the operator for a new proof. False: there is none. */
export function proveAgain(methods: readonly SignInMethod[]): Promise<boolean> {
  return new Promise((done) => {
    if (answer) answer({ methods, done })
    else done(false)
  })
}
