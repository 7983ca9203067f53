import { lazy, Suspense, useEffect, useState } from 'react'
import { loadPart } from '../../../src/parts.ts'
import { answerProofRequests, type ProofRequest } from '../session/step-up.ts'

const Dialog = lazy(() => loadPart(() => import('./step-up-dialog.tsx')))

/** Shows the dialog for a new proof. There is one, above all screens. */
export function StepUp() {
  const [request, setRequest] = useState<ProofRequest | null>(null)
  useEffect(() => answerProofRequests(setRequest), [])
  if (!request) return null
  const end = (isProven: boolean) => {
    setRequest(null)
    request.done(isProven)
  }
  return (
    <Suspense>
      <Dialog methods={request.methods} onEnd={end} />
    </Suspense>
  )
}
