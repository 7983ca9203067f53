import { expect, test } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { prettyLog } from '../../../gateway/launch/process/pretty-log.ts'

function openLog() {
  const written: string[] = []
  const into = { write: (text: string) => void written.push(text) }
  return { written, log: createLog({ level: 'debug', format: 'pretty', into }) }
}

test('a log for people has a line of time, level and message, and each member below it', () => {
  const { written, log } = openLog()

  log.info({ route: '/v1/keys', status: 200, budgets: [{ period: 'day' }], sent: null }, 'answered')
  log.debug('started')
  log.child({ worker: 1 }).warn({ key: { secret: 's3' } })

  expect(written.map((text) => text.replace(/^\[\d\d:\d\d:\d\d\.\d{3}\]/, '[time]'))).toEqual([
    "[time] INFO: answered\n    route: '/v1/keys'\n    status: 200\n    budgets: [ { period: 'day' } ]\n    sent: null\n",
    '[time] DEBUG: started\n',
    "[time] WARN: \n    worker: 1\n    key: { secret: '[Redacted]' }\n",
  ])
})

test('a log for people has the stack of an error with its causes, and its further members', () => {
  const { written, log } = openLog()
  const error = Object.assign(new Error('lost', { cause: new TypeError('why') }), { code: 'E1' })

  log.error({ err: error }, 'failed')
  log.fatal(error)
  log.error({ err: 'no error' }, 'odd')

  const [failed = '', ended = '', odd = ''] = written
  expect(failed).toMatch(/ ERROR: failed\n {4}code: 'E1'\n {4}Error: lost\n {8}at .+\n/)
  expect(failed).toMatch(/\n {4}caused by: TypeError: why\n {8}at .+\n/)
  expect(JSON.parse(odd)).toMatchObject({ err: 'no error', msg: 'odd' })
  expect(ended).toMatch(/ FATAL: lost\n {4}code: 'E1'\n {4}Error: lost\n {8}at .+\n/)
})

test('a log for people shows no character that steers a terminal', () => {
  const { written, log } = openLog()

  log.error({ err: new Error('a\u001b[2J'), path: '\u001b[31mb' }, 'c\u001b]0;title\u0007')

  expect(written.join('')).not.toMatch(/[^\P{Cc}\n]/u)
})

test('a log for people on a terminal has coloured levels and values', () => {
  const written: string[] = []
  const coloured = prettyLog({ write: (text) => void written.push(text) }, true)

  coloured.write('{"level":50,"time":"2026-12-01T09:30:00.000Z","status":502,"msg":"failed"}')

  expect(written).toEqual([
    '[09:30:00.000] \u001b[31mERROR\u001b[39m: failed\n    status: \u001b[33m502\u001b[39m\n',
  ])
})
