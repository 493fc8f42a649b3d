import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import type { EndpointId } from '../api.ts'
import { useIsAllowed } from './allowed.tsx'
import { Icon, type IconName } from './icons.tsx'
import './button.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly ref?: Ref<HTMLButtonElement>
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly icon?: IconName
  readonly isBusy?: boolean
  /** What it calls: whoever may not call it does not see the button. */
  readonly needs?: EndpointId
}

export function Button({
  look = 'plain',
  icon,
  isBusy = false,
  needs,
  children,
  className = '',
  ...rest
}: ButtonProps) {
  if (!useIsAllowed(needs)) return null
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button that is only a picture has its name for those who do not see it. */
export function IconButton({ icon, label, ...rest }: ButtonProps & { icon: IconName; label: string }): ReactNode {
  return (
    <Button look="quiet" {...rest} className={`only-icon ${rest.className ?? ''}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </Button>
  )
}
