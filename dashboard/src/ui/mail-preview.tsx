import * as Radix from '@radix-ui/react-dialog'
import { type ReactNode, useState } from 'react'
import { IconButton } from './button.tsx'
import { CutNote, RemoteNote } from './frame-notes.tsx'
import { formatNumber, formatPercent } from './locale.ts'
import type { MailScheme } from './mail-scheme.ts'
import { SandboxedFrame } from './sandboxed-frame.tsx'
import { useAvailableWidth, useMailHeight, useShownMail } from './shown-mail.ts'
import { Switch } from './switch.tsx'
import './html-frame.css'
import { texts } from './texts.ts'

/** As wide as a mail client's window on a desk, so that no mail falls back to its mobile layout; and a telephone. */
export const PREVIEW_WIDTHS = { desktop: 720, mobile: 390 } as const
export type PreviewWidth = keyof typeof PREVIEW_WIDTHS

const WIDTHS = [
  ['desktop', texts.preview.desktop],
  ['mobile', texts.preview.mobile],
] as const
const WIDTH_NAMES = Object.fromEntries(WIDTHS) as Readonly<Record<PreviewWidth, string>>

const SCHEMES = [
  ['light', texts.preview.light],
  ['dark', texts.preview.dark],
] as const

interface MailPreviewProps {
  readonly html: string
  readonly title: string
  readonly inlineImages?: ReadonlyMap<string, string>
  /** How it is shown at first; the reader can change both. Without them as the reader chose last. */
  readonly width?: PreviewWidth
  readonly scheme?: MailScheme
}

interface Choice {
  readonly width: PreviewWidth
  readonly scheme: MailScheme
}

/** Who steps through mails on a telephone's width stays on it; whoever has a telephone begins there. */
let lastChoice: Choice = { width: innerWidth < PREVIEW_WIDTHS.desktop ? 'mobile' : 'desktop', scheme: 'light' }

/** A mail as its readers see it: at a fixed width, scaled to the room there is, light or dark, in the page or on the whole screen. */
export function MailPreview({ html, title, inlineImages, width, scheme }: MailPreviewProps) {
  const [choice, setChoice] = useState({ width: width ?? lastChoice.width, scheme: scheme ?? lastChoice.scheme })
  const [isRemoteAllowed, setRemoteAllowed] = useState(false)
  const mail = useShownMail(html, inlineImages, choice.scheme)
  const choose = (change: Partial<Choice>) => {
    lastChoice = { ...choice, ...change }
    setChoice(lastChoice)
  }
  const view = { mail, title, choice, choose, isRemoteAllowed, onAllowRemote: () => setRemoteAllowed(true) }
  return (
    <div className="frame">
      <Radix.Root>
        <PreviewView {...view}>
          <Radix.Trigger asChild>
            <IconButton icon="expand" label={texts.preview.fullScreen} />
          </Radix.Trigger>
        </PreviewView>
        <Radix.Portal>
          <Radix.Content className="frame-full" aria-describedby={undefined}>
            <Radix.Title className="hidden">{title}</Radix.Title>
            <PreviewView {...view}>
              <Radix.Close asChild>
                <IconButton icon="close" label={texts.preview.exitFullScreen} />
              </Radix.Close>
            </PreviewView>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </div>
  )
}

interface PreviewViewProps {
  readonly mail: ReturnType<typeof useShownMail>
  readonly title: string
  readonly choice: Choice
  readonly choose: (change: Partial<Choice>) => void
  readonly isRemoteAllowed: boolean
  readonly onAllowRemote: () => void
  /** Behind the switches. */
  readonly children: ReactNode
}

const FIRST_HEIGHT = 240

/** Laid out at its width, whatever the room, and as high as it is: without scroll bars of its own unless nobody knows its height. */
function PreviewView({ mail, title, choice, choose, isRemoteAllowed, onAllowRemote, children }: PreviewViewProps) {
  const width = PREVIEW_WIDTHS[choice.width]
  const device = WIDTH_NAMES[choice.width]
  const { box, width: available } = useAvailableWidth<HTMLDivElement>()
  const measured = useMailHeight(mail.shown, width)
  const scale = available === 0 ? 1 : Math.min(1, available / width)
  // Pictures of other hosts have sizes that only the frame knows, and it cannot be asked.
  const isUnknown = measured === null || isRemoteAllowed
  const height = Math.max(measured ?? FIRST_HEIGHT, isUnknown ? (innerHeight * 0.62) / scale : 0)
  return (
    <>
      <div className="frame-bar">
        <span className="frame-width muted">
          {scale < 1
            ? texts.preview.scaledSize(device, formatNumber(width), formatPercent(Math.round(scale * 100)))
            : texts.preview.size(device, formatNumber(width))}
        </span>
        <div className="frame-tools">
          <Switch
            label={texts.preview.width}
            options={WIDTHS}
            value={choice.width}
            onChange={(next) => choose({ width: next })}
          />
          <Switch
            label={texts.preview.colorScheme}
            options={SCHEMES}
            value={choice.scheme}
            onChange={(next) => choose({ scheme: next })}
          />
          {children}
        </div>
      </div>
      {mail.isRemote && !isRemoteAllowed && (
        <div className="frame-bar">
          <RemoteNote onAllow={onAllowRemote} />
        </div>
      )}
      {mail.isCut && <CutNote />}
      {choice.scheme !== mail.scheme && <p className="frame-cut">{texts.preview.noDarkStyles}</p>}
      <div ref={box} className={`frame-stage ${mail.scheme}`} style={{ height: Math.ceil(height * scale) }}>
        <SandboxedFrame
          html={mail.shown}
          scheme={mail.scheme}
          {...{ title, isRemoteAllowed }}
          style={{ width, height, transform: `scale(${scale})`, marginLeft: Math.max(0, (available - width) / 2) }}
        />
      </div>
    </>
  )
}
