import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../../schema/process/project-root.ts'

const folder = join(projectRoot, 'subgraphs/account/notifications/mails/templates')

/** The text of one kind of mail, with `{{placeholders}}`. */
export interface MailTemplate {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The text of the link, and its address. */
  readonly linkLabel: string
  readonly linkUrl: string
  /** The reason why the receiver gets the mail. */
  readonly footer: string
}

/**
 * The frame around the text of every mail, as text and as HTML. The text has a line `-- ` before the signature:
 * by its space mail programs know it (RFC 3676 §4.3).
 */
export interface MailLayout {
  readonly text: string
  readonly html: string
}

const usualFooter =
  'You get this mail because you confirmed that this address is told of {{account}}.'

/** Mails to people by their membership: they subscribe to nothing. */
const peopleMails: ReadonlySet<string> = new Set([
  'address_changed',
  'address_confirmation',
  'address_taken',
  'invitation',
  'sign_in',
  'sign_in_link',
  'passkey_added',
  'passkey_disabled',
  'passkey_removal',
  'passkey_removed',
  'passkey_reset',
  'passkeys_reset',
])

/** Whether a mail goes to a member as such, not to an address for notifications. */
export function isPeopleMail(template: string): boolean {
  return peopleMails.has(template)
}

const templates = new Map<string, MailTemplate>()
let layout: MailLayout | null = null

/**
 * Reads a template once: lines of the form `Name: value` (Subject, Link, Url and perhaps Footer),
 * an empty line, and paragraphs with empty lines between them.
 */
export function templateOf(name: string): MailTemplate {
  const known = templates.get(name)
  if (known) return known
  // Names are types of events, so none of them can point outside of the folder.
  const [head = '', ...paragraphs] = read(`${name}.txt`).trim().split(/\n\n+/)
  const fields = new Map(
    head.split('\n').map((line) => {
      const [, field = '', value = ''] = /^([A-Z][a-z]+): (.+)$/.exec(line) ?? []
      return [field, value]
    }),
  )
  const fieldOf = (field: string) => {
    const value = fields.get(field)
    if (value === undefined) throw new Error(`The template ${name} has no line ${field}.`)
    return value
  }
  const template = {
    ...{ subject: fieldOf('Subject'), linkLabel: fieldOf('Link'), linkUrl: fieldOf('Url') },
    ...{ paragraphs: paragraphs.map(unwrapped), footer: fields.get('Footer') ?? usualFooter },
  }
  templates.set(name, template)
  return template
}

/** A paragraph as one line, however its file is wrapped. */
function unwrapped(paragraph: string): string {
  return paragraph.replaceAll('\n', ' ')
}

/** Reads the layout once. Where nobody has subscribed, there is no line to unsubscribe. */
export function mailLayout(isSubscribed: boolean): MailLayout {
  layout ??= { text: read('layout.txt'), html: read('layout.html') }
  if (isSubscribed) return layout
  const { text, html } = layout
  return {
    text: text.replace(/^Unsubscribe: .*\n/m, ''),
    html: html.replace(/\n<br><a [^>]*>Unsubscribe<\/a>/, ''),
  }
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

/** Replaces each placeholder by its value; an unknown one is named as missing. */
export function fill(
  text: string,
  values: ReadonlyMap<string, string>,
  write: (value: string) => string = (value) => value,
): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => write(values.get(name) ?? '—'))
}
