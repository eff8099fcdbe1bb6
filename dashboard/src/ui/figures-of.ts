/** The digits of an amount that was typed or pasted: `50,000/=` and `50000.00` are 50000; `50.000` and `50.50` are not read, and leave the field empty. */
export function figuresOf(text: string): string {
  // The field itself groups with commas, so a point comes from elsewhere. Without this, a pasted 50000.00 would be a hundred times as much.
  const whole = text.replace(/\.00?(?=\D*$)/, '')
  return /\d\.\d/.test(whole) ? '' : whole.replace(/\D/g, '')
}

const wholeAmount = /^(?:tshs?\.?|tzs|sh\.?)?\s*((?!0\d)\d+|[1-9]\d{0,2}(?:[,\s]\d{3})+)(?:\.00?)?\s*(?:\/[=-]|tshs?\.?|tzs)?$/i

/** A whole amount in one of the forms of a file; undefined: anything else, so that a wrong cell is not guessed. */
export function wholeAmountOf(text: string): number | undefined {
  const figures = wholeAmount.exec(text.trim())?.[1]
  return figures === undefined ? undefined : Number(figures.replace(/\D/g, ''))
}
