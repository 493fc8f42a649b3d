import { useState } from 'react'
import { DayPicker, type DateRange as Range } from 'react-day-picker'
import { dateFormat } from './locale.ts'
import './date-range.css'
import { texts } from './texts.ts'

interface DateRangeProps {
  /** Days: `2026-11-15`. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (from: Date | undefined, to: Date | undefined) => void
}

const MONTH = dateFormat({ month: 'long', year: 'numeric' })
const WEEKDAY = dateFormat({ weekday: 'narrow' })
const LONG_WEEKDAY = dateFormat({ weekday: 'long' })
const DAY = dateFormat({ dateStyle: 'full' })

/** 0 is Sunday. Not every browser says with which day weeks begin where its reader lives. */
function firstWeekday(): 0 | 1 | 2 | 3 | 4 | 5 | 6 {
  const locale = new Intl.Locale(MONTH.resolvedOptions().locale) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number }
  }
  return ((locale.getWeekInfo?.().firstDay ?? 1) % 7) as ReturnType<typeof firstWeekday>
}

const asDate = (day: string | undefined) =>
  day && /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00`) : undefined

/** Two days of a calendar, both of them included. */
export function DateRange({ from, to, onChange }: DateRangeProps) {
  const [range, setRange] = useState<Range | undefined>({ from: asDate(from), to: asDate(to) })
  return (
    <DayPicker
      mode="range"
      selected={range}
      defaultMonth={range?.from ?? new Date()}
      disabled={{ after: new Date() }}
      weekStartsOn={firstWeekday()}
      formatters={{
        formatCaption: (month) => MONTH.format(month),
        formatWeekdayName: (day) => WEEKDAY.format(day),
      }}
      labels={{
        labelGrid: (month) => MONTH.format(month),
        labelWeekday: (day) => LONG_WEEKDAY.format(day),
        labelDayButton: (day, { selected }) =>
          selected ? texts.calendar.selectedDay(DAY.format(day)) : DAY.format(day),
        labelPrevious: () => texts.calendar.previousMonth,
        labelNext: () => texts.calendar.nextMonth,
      }}
      onSelect={(next) => {
        setRange(next)
        onChange(next?.from, next?.to)
      }}
    />
  )
}
