import { addressesOf } from '../../config/addresses.ts'
import { localUrlsOf, openListeners } from '../../launch/parts/listeners.ts'
import type { ProcessContext } from '../../launch/process/process-context.ts'
import { moduleUrls } from '../../trial/simulator/simulator.ts'
import { serveGateway } from '../all-in-one.ts'
import type { WorkerLink } from '../group/worker-link.ts'

/**
 * Serves the whole gateway, on connections of the primary; another process has the jobs and
 * databases.
 */
export async function startWorkerProcess(
  context: ProcessContext,
  link: WorkerLink,
): Promise<object> {
  const { config, metrics, resources } = context
  resources.defer(() => link.leave())
  const { store } = await link.begun
  if (!store) throw new Error('The primary has opened no databases.')
  let docsUrl = config.DOCS_URL ?? ''
  const listeners = await openListeners(context, () => docsUrl)
  docsUrl = addressesOf(config, localUrlsOf(context, listeners)).docsUrl
  const { simulatorUrl } = await link.mayGo
  await serveGateway(context, {
    store: { ...store, databases: new Map(store.databases), close: async () => {} },
    listeners,
    simulator: { urlOf: moduleUrls(simulatorUrl) },
  })
  link.become(metrics)
  return {}
}
