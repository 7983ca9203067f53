import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { defaultAddresses } from '../../../schema/vocabulary/default-addresses.ts'
import { createDocsSite } from '../../../site/docs-site.ts'
import { type CheckAnswer, createAnswerCheck, describeAnswer } from './answers-conform.ts'
import { type ApiDocument, readApiDocument } from './api-document.ts'
import { noteNonconforming } from './nonconforming.ts'
import { recordExample } from './record-examples.ts'
import { isRecording } from './recording.ts'
import { type Exchange, watchAnswers } from './watch-answers.ts'

interface Contract {
  readonly document: ApiDocument
  readonly check: CheckAnswer
}

let contract: Contract | null = null

function readContract(document = readApiDocument()): Contract {
  const site = createDocsSite({
    ...defaultAddresses,
    ...{ keyPrefix: 'svc', catalog: loadCatalog(), anonymousRps: 1 },
    ...{ backendTimeoutMs: 1, webhookTimeoutMs: 1, webhookRetrySeconds: [1], accountWorkMs: 1 },
  })
  const check = createAnswerCheck(document, (name) => site.find(`/docs/${name}`) !== null)
  return { document, check }
}

/** Read once, when the first answer comes. */
function committedContract(): Contract {
  contract ??= readContract()
  return contract
}

interface Origins {
  readonly live: string
  readonly sandbox: string
  /** If set, bodies of product operations are not checked. */
  readonly hasStubs?: boolean
  /** The document of a gateway with other routes than the committed ones. */
  readonly document?: ApiDocument
}

/** From now on a test fails if a gateway gives it an answer that the document does not describe. */
export function requireConformity(origins: Origins): void {
  const own = origins.document && readContract(origins.document)
  const take = (exchange: Exchange) => {
    const { answer } = exchange
    const { document, check } = own ?? committedContract()
    const problems = check(answer, origins)
    if (problems.length > 0) noteNonconforming(describeAnswer(answer, problems))
    else if (isRecording && !own) record(document, exchange, origins)
  }
  watchAnswers(origins.live, take)
  watchAnswers(origins.sandbox, take)
}

function record(document: ApiDocument, exchange: Exchange, origins: Origins): void {
  const { method, path } = exchange.answer
  const found = document.find(method, path.split('?', 1)[0] ?? path)
  if (found.kind === 'operation') recordExample({ ...exchange, ...found, origins })
}
