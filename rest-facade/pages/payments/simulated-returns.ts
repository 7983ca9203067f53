import { html, type Markup } from '../html/html.ts'

const words: Readonly<Record<string, string>> = {
  refund: 'Refund',
  refund_part: 'Refund a part',
  dispute: 'Dispute',
  win: 'Win the dispute',
  lose: 'Lose the dispute',
}

/**
 * The part of a paid payment's page where its money can be made to come back: a button for each of
 * the choices that are possible now. Null if there are none.
 */
export function returnsSection(choices: readonly string[]): Markup | null {
  if (choices.length === 0) return null
  return html`<form method="post">
<p>The provider can return the money, and the bank of the buyer can ask for it.</p>
<div class="buttons">${choices.map(
    (choice) =>
      html`<button class="second" name="choice" value="${choice}">${words[choice] ?? choice}</button>`,
  )}</div>
</form>`
}
