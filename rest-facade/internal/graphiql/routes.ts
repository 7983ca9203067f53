import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Response, Router } from 'express'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { callOf } from '../../http/call.ts'
import { methodNotAllowed } from '../../http/unknown-route.ts'

const require = createRequire(import.meta.url)

const ours = join(projectRoot, 'rest-facade/internal/graphiql')
const [graphiql, react, reactDom] = [
  dirname(require.resolve('graphiql/package.json')),
  dirname(require.resolve('react/package.json')),
  dirname(require.resolve('react-dom/package.json')),
]

/** Name below /graphiql/ → the file. Libraries come as they were published: nothing is bundled. */
const assets: ReadonlyMap<string, string> = new Map([
  ['page.css', join(ours, 'page.css')],
  ['page.js', join(ours, 'page.js')],
  ['graphiql.css', join(graphiql, 'graphiql.min.css')],
  ['graphiql.js', join(graphiql, 'graphiql.min.js')],
  ['react.js', join(react, 'umd/react.production.min.js')],
  ['react-dom.js', join(reactDom, 'umd/react-dom.production.min.js')],
])

/** What GraphiQL's dialogs insert, so that the page behind them stays where it is. */
const dialogStyle = "'sha256-nzTgYzXYDNe6BAHiiI7NNlfK8n/auuOAhh2t92YvuXo='"

/** Everything from here, no script inline; fonts and icons are in the stylesheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${dialogStyle}`,
  "connect-src 'self'",
  'font-src data:',
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** GraphiQL, from this process alone. The page needs no token; what it asks does. */
export function graphiqlRoutes(): Router {
  const router = Router({ strict: true })
  router.get('/graphiql', (_req, res) => sendFile(res, join(ours, 'page.html')))
  router.get('/graphiql/:asset', (req, res, next) => {
    const file = assets.get(req.params.asset)
    if (file === undefined) return next()
    sendFile(res, file)
  })
  router.all('/graphiql', methodNotAllowed(['GET', 'HEAD']))
  return router
}

function sendFile(res: Response, file: string): void {
  res.set({
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Request-Id': callOf(res).requestId,
    // Asked for each time, sent only when it is another.
    'Cache-Control': 'no-cache',
  })
  // Wherever this is installed: a folder above may begin with a dot.
  res.sendFile(file, { cacheControl: false, dotfiles: 'allow' })
}
