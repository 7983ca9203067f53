import type { ReactNode } from 'react'

/**
 * Drawings of 16 by 16, of one stroke. They are hidden from screen readers, because text stands
 * beside them.
 */
const drawings = {
  overview: <path d="M2 9.5h4V14H2zM2 2h4v5H2zM9 2h5v3H9zM9 8h5v6H9z" />,
  usage: <path d="M2 14V8m4 6V3m4 11V6.5M14 14V2" />,
  logs: <path d="M2 3.5h12M2 8h12M2 12.5h7" />,
  keys: (
    <path d="M9.5 6.5a3.25 3.25 0 1 0-3 4.4l1-1H9V8.4h1.5l.7-.7M9.5 6.5 14 2m-1.6 1.6L14 5.2" />
  ),
  customers: (
    <path d="M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c.3-2.6 2-4 4.5-4s4.2 1.4 4.5 4M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.8c1.5.6 2.3 1.9 2.5 3.7" />
  ),
  credits: (
    <path d="M8 6c3.3 0 6-1 6-2.2S11.3 1.6 8 1.6 2 2.6 2 3.8 4.7 6 8 6Zm6-2.2V8c0 1.2-2.7 2.2-6 2.2S2 9.2 2 8V3.8M14 8v4.2c0 1.2-2.7 2.2-6 2.2s-6-1-6-2.2V8" />
  ),
  billing: <path d="M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h3" />,
  webhooks: (
    <path d="M5.5 6.5a3 3 0 1 1 4.8-1M7.5 5 5 10m2.3 1.5H12M3.9 8.1a2.5 2.5 0 1 0 2.5 4M12 9.2a2.3 2.3 0 1 1-1.3 4.2M8.6 5 11 9.3" />
  ),
  apps: <path d="M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z" />,
  agents: <path d="M3 6h10v7.5H3zM8 6V2.5M6 9v1.5M10 9v1.5M1.5 8.5v2.5M14.5 8.5v2.5" />,
  audit: (
    <path d="M8 1.5 13.5 4v4c0 3.2-2.3 5.5-5.5 6.5C4.8 13.5 2.5 11.2 2.5 8V4zM5.5 8l1.8 1.8 3.2-3.6" />
  ),
  settings: (
    <path d="M2 4.5h6m4 0h2M2 11.5h2m4 0h6M8 4.5a2 2 0 1 0 4 0 2 2 0 0 0-4 0ZM4 11.5a2 2 0 1 0 4 0 2 2 0 0 0-4 0Z" />
  ),
  menu: <path d="M2 4h12M2 8h12M2 12h12" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  copy: <path d="M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  close: <path d="m3.5 3.5 9 9m0-9-9 9" />,
  refresh: <path d="M13.5 8A5.5 5.5 0 1 1 12 4.2M12.5 1.5v3h-3" />,
  plus: <path d="M8 3v10M3 8h10" />,
  search: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14" />,
  user: <path d="M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.5-2.8 2.6-4.5 5.5-4.5s5 1.7 5.5 4.5" />,
  download: <path d="M8 2v8m-3.5-3L8 10.5 11.5 7M2.5 13.5h11" />,
  external: <path d="M6 3H3v10h10v-3M9 2.5h4.5V7M13.5 2.5 7.5 8.5" />,
  caret: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  previous: <path d="M10 3 5 8l5 5" />,
  next: <path d="m6 3 5 5-5 5" />,
  sun: (
    <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof drawings

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {drawings[name]}
    </svg>
  )
}

export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--accent)" />
      <path
        d="M16.5 8.2a5.4 5.4 0 1 0 0 7.6M12 12h7"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  )
}
