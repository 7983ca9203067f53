export default function Billing() {
  return null
}
