import type { Role } from '../../api.ts'

/** The command that makes a link for an operator. */
export function linkCommand(role: Role, name: string): string {
  return `npx gateway operator link --role ${role} --name ${inShell(name)}`
}

/** A word of a command line. */
function inShell(text: string): string {
  return /^[\w@.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
