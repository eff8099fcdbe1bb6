/** The words of the sign-in. Also for the first look of a visit, so without React. */
export const signInWords = {
  signIn: ['Sign in', 'Ingia'],
  signInText: ['See your money, to the shilling.', 'Ona pesa zako, hadi shilingi ya mwisho.'],
  identifier: ['E-mail address or phone number', 'Barua pepe au namba ya simu'],
  password: ['Password', 'Nenosiri'],
  forgot: ['Forgot your password?', 'Umesahau nenosiri?'],
  noAccount: ['No account yet?', 'Huna akaunti bado?'],
  register: ['Register', 'Jisajili'],
} as const
