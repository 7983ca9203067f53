import { createHash } from 'node:crypto'
import { palette } from '../../html/palette.ts'

/**
 * The only stylesheet. It is inline, because our pages load nothing. Every pair of colours meets
 * WCAG AA.
 */
export const stylesheet = `
${palette}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
main {
  max-width: 30rem; margin: 5vh auto; padding: 1.5rem; background: var(--paper);
  border-radius: 0.75rem; box-shadow: 0 1px 3px rgb(0 0 0 / 20%);
}
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 1rem; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); }
a, button, input, select { border-radius: 0.375rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
fieldset { margin: 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
input, select {
  width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line);
  background: var(--paper); color: var(--ink); font: inherit;
}
button {
  flex: 1; min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--accent);
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button.second { background: var(--paper); color: var(--accent); }
input + p { margin-top: 0.5rem; }
.buttons { display: flex; gap: 0.75rem; margin: 1.5rem 0 1rem; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.alert, .caution { padding: 0.75rem 1rem; border-left: 4px solid; border-radius: 0.375rem; }
.alert { background: var(--alert-ground); color: var(--alert); }
.caution { background: var(--caution-ground); color: var(--caution); }
dl { margin: 0 0 1rem; }
dt { color: var(--quiet); font-size: 0.875rem; }
dd { margin: 0 0 0.5rem; font-weight: 600; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
li .quiet { display: block; }
.links { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
`

/** The name of the stylesheet in the policy of a page. */
export const stylesheetSource = `'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`
