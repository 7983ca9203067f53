import { Screen } from '../../components/screen.tsx'

export default function Overview() {
  return <Screen title="Overview">…</Screen>
}
