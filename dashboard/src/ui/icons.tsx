import type { ReactNode } from 'react'

const PATHS = {
  archive: 'M3 7h18M5 7v12h14V7M4 4h16v3H4zM10 12h4',
  bell: 'M18 9a6 6 0 1 0-12 0c0 6-2.500 7-2.500 7h17S18 15 18 9M10 20a2 2 0 0 0 4 0',
  bold: 'M7 5h6a3.500 3.500 0 0 1 0 7H7zM7 12h7a3.500 3.500 0 0 1 0 7H7z',
  block: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M6 6l12 12',
  chart: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  check: 'M5 13l4 4L19 7',
  clip: 'M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.500 3.500 0 0 1 5 5l-8.500 8.500a1.800 1.800 0 0 1-2.500-2.500L15 7',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.500 5l-3 14',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  down: 'M6 9l6 6 6-6',
  expand: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  filter: 'M4 6h16M7 12h10M10 18h4',
  download: 'M12 4v12M7 11l5 5 5-5M4 20h16',
  flask: 'M9 3h6M10 3v6l-5.500 9.500A1.700 1.700 0 0 0 6 21h12a1.700 1.700 0 0 0 1.500-2.500L14 9V3M7.500 15h9',
  fold: 'M15 6l-6 6 6 6',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M19 12a7 7 0 0 0-.1-1.200l2-1.500-2-3.400-2.300 1a7 7 0 0 0-2.100-1.200L14.200 3h-4l-.3 2.700a7 7 0 0 0-2.100 1.200l-2.400-1-2 3.400 2 1.500a7 7 0 0 0 0 2.400l-2 1.500 2 3.400 2.400-1a7 7 0 0 0 2.100 1.200l.3 2.700h4l.3-2.700a7 7 0 0 0 2.100-1.200l2.300 1 2-3.400-2-1.500c.1-.4.1-.8.1-1.200Z',
  forward: 'M14 6l6 6-6 6M20 12H9a5 5 0 0 0-5 5v1',
  fork: 'M12 21v-7M12 14L6 8V3M12 14l6-6V3',
  flow: 'M8 3h8v5H8zM3 16h7v5H3zM14 16h7v5h-7zM12 8v4M6.500 16v-4h11v4',
  bolt: 'M13 3L5 14h6l-1 7 8-11h-6z',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  hook: 'M8 4v8a4 4 0 0 0 8 0V9M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4M5 4h6',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5a3 3 0 0 0 6 0h5',
  italic: 'M10 5h8M6 19h8M14 5l-4 14',
  key: 'M14.500 9.500a4.500 4.500 0 1 0-4.300 5.900L12 13.600h2v-2h2l1-1M8 14l-5 5v2h3',
  layers: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  leave: 'M10 5H5v14h5M15 8l4 4-4 4M19 12H9',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.500 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500',
  list: 'M8 6h13M8 12h13M8 18h13M3.500 6h.01M3.500 12h.01M3.500 18h.01',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  megaphone: 'M3 10v4h3l8 4V6l-8 4zM17.500 9a4 4 0 0 1 0 6M7 14l1 5h3',
  menu: 'M4 6h16M4 12h16M4 18h16',
  moon: 'M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500Z',
  more: 'M4.600 12a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0M11.600 12a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0M18.600 12a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0',
  next: 'M9 6l6 6-6 6',
  numbers:
    'M9 6h12M9 12h12M9 18h12M4 4v4M3 8h2M3 11.500c2-1 3 .5 1.500 1.700L3 14.500h2.500M3 17h2.500L4 18.500c2 0 2 2 0 2H3',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  pen: 'M4 20l1-4L16.500 4.500l3 3L8 19zM14 7l3 3',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14a6 6 0 0 1 3.500 6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.500 20.500a7.500 7.500 0 0 1 15 0',
  plus: 'M12 5v14M5 12h14',
  quote: 'M5 12h5v5H5zM5 12c0-3 1-5 4-6M14 12h5v5h-5zM14 12c0-3 1-5 4-6',
  reply: 'M10 6l-6 6 6 6M4 12h11a5 5 0 0 1 5 5v1',
  replyAll: 'M7 7l-5 5 5 5M13 6l-6 6 6 6M7 12h8a6 6 0 0 1 6 6',
  robot: 'M5 9h14v10H5zM12 9V5M12 4v.01M9 13v1M15 13v1M9.500 16.500h5M2.500 12v4M21.500 12v4',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M15.500 15.500L21 21',
  send: 'M21 3L3 10l7 3 3 7zM10 13l4-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400',
  tag: 'M3 12V4h8l10 10-8 8zM7.500 8h.01',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  up: 'M6 15l6-6 6 6',
  upload: 'M12 16V4M7 9l5-5 5 5M4 20h16',
} as const

export type IconName = keyof typeof PATHS

/** Says nothing to a screen reader: the words beside it do. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      className="icon"
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
