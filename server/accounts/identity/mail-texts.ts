/** The texts of the mails about an account: Swahili first, then English. Invariant: they contain no text that a stranger typed, and no link. */
import type { NewMail } from '../../base/mail/mail.ts'

type Text = { subject: string; swahili: string; english: string }

const notYours = {
  swahili: 'Kama si wewe, puuza ujumbe huu.',
  english: 'If this was not you, ignore this message.',
}

// A reader of a notice about an action that was not theirs needs to know the next step.
const notYou = {
  swahili: 'Kama si wewe, badilisha nenosiri lako mara moja na uwasiliane nasi.',
  english: 'If this was not you, reset your password immediately and contact us.',
}

const notices = {
  password_changed: {
    subject: 'Nenosiri lako limebadilishwa / Your password was changed',
    swahili: `Nenosiri la akaunti yako ya Malipo limebadilishwa, na umeondolewa kwenye vifaa vyote. ${notYou.swahili}`,
    english: `The password of your Malipo account was changed, and you were signed out everywhere. ${notYou.english}`,
  },
  email_change_requested: {
    subject: 'Ombi la kubadilisha barua pepe / A request to change your e-mail address',
    swahili: `Kuna ombi la kubadilisha barua pepe ya akaunti yako ya Malipo. Msimbo umetumwa kwenye anwani mpya; hakuna kinachobadilika hadi uandikwe. Kama si wewe, badilisha nenosiri lako mara moja, na ombi litafutwa; kisha wasiliana nasi.`,
    english: `A change of the e-mail address of your Malipo account was requested. A code was sent to the new address; nothing changes until it is entered. If this was not you, change or reset your password immediately, which cancels the request, and contact us.`,
  },
  email_changed: {
    subject: 'Barua pepe yako imebadilishwa / Your e-mail address was changed',
    swahili: `Barua pepe ya akaunti yako ya Malipo imebadilishwa. Anwani hii si ya akaunti tena, na umeondolewa kwenye vifaa vingine vyote. Kama si wewe, wasiliana nasi mara moja ili tuifunge akaunti.`,
    english: `The e-mail address of your Malipo account was changed. This address no longer belongs to it, and you were signed out on all other devices. If this was not you, contact us immediately so that we can disable the account.`,
  },
  phone_number_changed: {
    subject: 'Namba yako ya simu imebadilishwa / Your phone number was changed',
    swahili: `Namba ya simu ya akaunti yako ya Malipo imebadilishwa, na umeondolewa kwenye vifaa vingine vyote. ${notYou.swahili}`,
    english: `The phone number of your Malipo account was changed, and you were signed out on all other devices. ${notYou.english}`,
  },
  second_factor_enabled: {
    subject: 'Uthibitisho wa hatua mbili umewashwa / Two-step sign-in is on',
    swahili: `Programu ya uthibitisho imeunganishwa na akaunti yako ya Malipo. Itahitajika kila unapoingia. ${notYou.swahili}`,
    english: `An authenticator app was connected to your Malipo account. Each sign-in now requires a code from it. ${notYou.english}`,
  },
  second_factor_replaced: {
    subject: 'Programu ya uthibitisho imebadilishwa / Your authenticator app was replaced',
    swahili: `Programu nyingine ya uthibitisho imeunganishwa na akaunti yako ya Malipo; ya zamani na misimbo yake ya akiba haifanyi kazi tena. Umeondolewa kwenye vifaa vingine vyote. ${notYou.swahili}`,
    english: `Another authenticator app was connected to your Malipo account; the old one and its recovery codes no longer work. You were signed out on all other devices. ${notYou.english}`,
  },
  second_factor_disabled: {
    subject: 'Uthibitisho wa hatua mbili umezimwa / Two-step sign-in is off',
    swahili: `Akaunti yako ya Malipo sasa inahitaji nenosiri tu kuingia. Umeondolewa kwenye vifaa vingine vyote. ${notYou.swahili}`,
    english: `Your Malipo account now needs only its password to sign in. You were signed out on all other devices. ${notYou.english}`,
  },
  second_factor_locked: {
    subject: 'Misimbo mingi isiyo sahihi / Too many wrong codes',
    swahili: `Misimbo au nenosiri lisilo sahihi limejaribiwa mara nyingi kwenye akaunti yako ya Malipo. Majaribio yamesimamishwa kwa muda. ${notYou.swahili}`,
    english: `There were too many attempts with wrong codes or passwords on your Malipo account. Further attempts are blocked for a while. ${notYou.english}`,
  },
  recovery_code_used: {
    subject: 'Msimbo wa akiba umetumika / A recovery code was used',
    swahili: `Mmoja wa misimbo yako ya akiba ya Malipo umetumika; hautafanya kazi tena. ${notYou.swahili}`,
    english: `One of your Malipo recovery codes was used; it will not work again. ${notYou.english}`,
  },
  session_ended: {
    subject: 'Umeondolewa kwenye kifaa kimoja / One of your sessions was ended',
    swahili: `Ufunguo wa zamani wa kuingia kwenye akaunti yako ya Malipo umetumika tena. Huenda mtu mwingine ana nakala yake, hivyo tumefunga kikao hicho. Ingia tena. Kama hali hii inajirudia, badilisha nenosiri lako.`,
    english: `An old sign-in token of your Malipo account was used again. Someone else may have a copy, so we ended that session. Sign in again. If this happens again, change your password.`,
  },
  new_device: {
    subject: 'Umeingia kwenye kifaa kipya / Sign-in from a new device',
    swahili: `Mtu ameingia kwenye akaunti yako ya Malipo kwa kutumia kifaa ambacho hukuwahi kukitumia. Orodha ya vifaa iko kwenye dashibodi. ${notYou.swahili}`,
    english: `Someone signed in to your Malipo account from a device that you have not used before. The dashboard lists your devices. ${notYou.english}`,
  },
  registration_tried: {
    subject: 'Mtu amejaribu kutumia barua pepe au simu yako / Someone tried to use your e-mail or phone',
    swahili: `Mtu amejaribu kutumia barua pepe au namba yako ya simu kwa akaunti nyingine ya Malipo. Hakuna kilichobadilika kwenye akaunti yako. Kama ni wewe, ingia; kama umesahau nenosiri, libadilishe. ${notYours.swahili}`,
    english: `Someone tried to use your e-mail address or phone number for another Malipo account. Your account has not changed. If it was you, sign in, or reset your password if you have forgotten it. ${notYours.english}`,
  },
  admin_created: {
    subject: 'Wewe sasa ni msimamizi wa Malipo / You are now an operator of Malipo',
    swahili: `Akaunti yako ya Malipo sasa ni ya msimamizi, na umeondolewa kwenye vifaa vyote. Kama hukutarajia haya, wasiliana nasi.`,
    english: `Your Malipo account is now an operator's, and you were signed out everywhere. If you did not expect this, contact us.`,
  },
  admin_factor_reset: {
    subject: 'Uthibitisho wako umewekwa upya / Your second factor was reset',
    swahili: `Wasimamizi wawili wameweka upya uthibitisho wa hatua mbili wa akaunti yako ya Malipo: programu ya zamani na misimbo yake ya akiba haifanyi kazi tena, na umeondolewa kwenye vifaa vyote. Kama hukuomba haya, wasiliana nasi mara moja.`,
    english: `Two operators have reset the second factor of your Malipo account: the old app and its recovery codes no longer work, and you were signed out everywhere. If you did not ask for this, contact us at once.`,
  },
  admin_factor_witnessed: {
    subject: 'Umeshuhudia kuwekwa upya kwa uthibitisho / You witnessed the reset of a second factor',
    swahili: `Msimbo wako umetumika kushuhudia kuwekwa upya kwa uthibitisho wa msimamizi mwingine. Kama si wewe, wasiliana nasi mara moja.`,
    english: `A code of yours was used to witness the reset of another operator's second factor. If this was not you, contact us at once.`,
  },
  account_disabled: {
    subject: 'Akaunti yako imefungwa / Your account was disabled',
    swahili: `Akaunti yako ya Malipo imefungwa kwa usalama, na umeondolewa kwenye vifaa vyote. Salio lako lipo. Wasiliana nasi ili tuifungue.`,
    english: `Your Malipo account was disabled for safety, and you were signed out everywhere. Your balance stays. Contact us to have it enabled.`,
  },
  account_enabled: {
    subject: 'Akaunti yako imefunguliwa / Your account was enabled',
    swahili: `Akaunti yako ya Malipo imefunguliwa. Nenosiri la zamani halifanyi kazi tena: chagua jipya kwa "Umesahau nenosiri?".`,
    english: `Your Malipo account was enabled. The old password no longer works: choose a new one with "Forgot your password?".`,
  },
} satisfies Record<string, Text>

export type Notice = keyof typeof notices

function mailOf(to: string, kind: string, { subject, swahili, english }: Text): NewMail {
  return { to, kind, subject, text: `${swahili}\n\n---\n\n${english}\n\nMalipo\n` }
}

/** The mail that notifies a person about an event of their account. */
export function noticeMail(to: string, notice: Notice): NewMail {
  return mailOf(to, notice, notices[notice])
}

export function passwordResetMail(to: string, code: string, minutes: number): NewMail {
  return mailOf(to, 'password_reset', {
    subject: 'Kubadilisha nenosiri / Reset your password',
    swahili: `Umeomba kubadilisha nenosiri la akaunti yako ya Malipo. Nakili msimbo huu na uuandike panapohitajika:\n\n${code}\n\nUnafanya kazi mara moja, kwa dakika ${minutes}; msimbo wa mwisho tu ndio unaofanya kazi. Usimpe mtu yeyote. ${notYours.swahili}`,
    english: `You asked to reset the password of your Malipo account. Enter the code above on the page that asks for it. It works once, for ${minutes} minutes; only the newest code works. Do not share it with anyone. ${notYours.english}`,
  })
}

export function emailVerificationMail(to: string, code: string, minutes: number): NewMail {
  return mailOf(to, 'email_verification', {
    subject: 'Thibitisha barua pepe yako / Verify your e-mail address',
    swahili: `Anwani hii imetumika kufungua akaunti ya Malipo. Ili kuithibitisha, nakili msimbo huu na uuandike panapohitajika:\n\n${code}\n\nUnafanya kazi mara moja, kwa dakika ${minutes}; msimbo wa mwisho tu ndio unaofanya kazi. ${notYours.swahili}`,
    english: `This address was used for an account with Malipo. To verify it, enter the code above on the page that asks for it. It works once, for ${minutes} minutes; only the newest code works. ${notYours.english}`,
  })
}

/** To the new address, which the code confirms. */
export function newEmailMail(to: string, code: string, minutes: number): NewMail {
  return mailOf(to, 'email_change', {
    subject: 'Thibitisha barua pepe yako mpya / Confirm your new e-mail address',
    swahili: `Anwani hii imeandikwa kuwa barua pepe mpya ya akaunti ya Malipo. Ili kuikubali, nakili msimbo huu na uuandike panapohitajika:\n\n${code}\n\nUnafanya kazi mara moja, kwa dakika ${minutes}. Usimpe mtu yeyote. ${notYours.swahili}`,
    english: `This address was entered as the new e-mail address of a Malipo account. To accept this, enter the code above on the page that asks for it. It works once, for ${minutes} minutes. Do not share it with anyone. ${notYours.english}`,
  })
}

/** To the address of the account, because nothing is sent to phones. It also warns the owner that a change was requested. */
export function newPhoneMail(to: string, code: string, minutes: number): NewMail {
  return mailOf(to, 'phone_number_change', {
    subject: 'Thibitisha namba yako mpya ya simu / Confirm your new phone number',
    swahili: `Kuna ombi la kubadilisha namba ya simu ya akaunti yako ya Malipo. Ili kuikubali, nakili msimbo huu na uuandike panapohitajika:\n\n${code}\n\nUnafanya kazi mara moja, kwa dakika ${minutes}. Usimpe mtu yeyote. ${notYou.swahili}`,
    english: `A change of the phone number of your Malipo account was requested. To accept it, enter the code above on the page that asks for it. It works once, for ${minutes} minutes. Do not share it with anyone. ${notYou.english}`,
  })
}
