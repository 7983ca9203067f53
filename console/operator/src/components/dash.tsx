/** Stands for what has no value. */
export function Dash() {
  return <span className="quiet">–</span>
}
