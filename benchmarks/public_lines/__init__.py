"""Public programs for the line verdicts; see README.md."""

from .books import SUBJECTS as BOOKS
from .eighteenth_a import SUBJECTS as EIGHTEENTH_A
from .eighteenth_b import SUBJECTS as EIGHTEENTH_B
from .eighteenth_c import SUBJECTS as EIGHTEENTH_C
from .eighteenth_e import SUBJECTS as EIGHTEENTH_E
from .eighteenth_f import SUBJECTS as EIGHTEENTH_F
from .eighth_layers import SUBJECTS as EIGHTH_LAYERS
from .eighth_models import SUBJECTS as EIGHTH_MODELS
from .eleventh_a import SUBJECTS as ELEVENTH_A
from .eleventh_b import SUBJECTS as ELEVENTH_B
from .eleventh_c import SUBJECTS as ELEVENTH_C
from .fifteenth_a import SUBJECTS as FIFTEENTH_A
from .fifteenth_b import SUBJECTS as FIFTEENTH_B
from .fifteenth_c import SUBJECTS as FIFTEENTH_C
from .fifth_layers import SUBJECTS as FIFTH_LAYERS
from .fifth_models import SUBJECTS as FIFTH_MODELS
from .fourteenth_a import SUBJECTS as FOURTEENTH_A
from .fourteenth_b import SUBJECTS as FOURTEENTH_B
from .fourteenth_c import SUBJECTS as FOURTEENTH_C
from .fourth_layers import SUBJECTS as FOURTH_LAYERS
from .fourth_models import SUBJECTS as FOURTH_MODELS
from .functions import SUBJECTS as FUNCTIONS
from .modules import SUBJECTS as MODULES
from .nineteenth_a import SUBJECTS as NINETEENTH_A
from .nineteenth_b import SUBJECTS as NINETEENTH_B
from .nineteenth_c import SUBJECTS as NINETEENTH_C
from .nineteenth_e import SUBJECTS as NINETEENTH_E
from .nineteenth_g import SUBJECTS as NINETEENTH_G
from .nineteenth_h import SUBJECTS as NINETEENTH_H
from .ninth_programs import SUBJECTS as NINTH
from .objects import SUBJECTS as OBJECTS
from .second_courses import SUBJECTS as SECOND_COURSES
from .second_layers import SUBJECTS as SECOND_LAYERS
from .seventeenth_a import SUBJECTS as SEVENTEENTH_A
from .seventeenth_b import SUBJECTS as SEVENTEENTH_B
from .seventeenth_c import SUBJECTS as SEVENTEENTH_C
from .seventeenth_d import SUBJECTS as SEVENTEENTH_D
from .seventh_layers import SUBJECTS as SEVENTH_LAYERS
from .seventh_models import SUBJECTS as SEVENTH_MODELS
from .sixteenth_a import SUBJECTS as SIXTEENTH_A
from .sixteenth_b import SUBJECTS as SIXTEENTH_B
from .sixteenth_c import SUBJECTS as SIXTEENTH_C
from .sixth_layers import SUBJECTS as SIXTH_LAYERS
from .sixth_models import SUBJECTS as SIXTH_MODELS
from .tenth_a import SUBJECTS as TENTH_A
from .tenth_b import SUBJECTS as TENTH_B
from .tenth_c import SUBJECTS as TENTH_C
from .tenth_d import SUBJECTS as TENTH_D
from .tenth_e import SUBJECTS as TENTH_E
from .third_layers import SUBJECTS as THIRD_LAYERS
from .third_models import SUBJECTS as THIRD_MODELS
from .thirteenth_a import SUBJECTS as THIRTEENTH_A
from .thirteenth_b import SUBJECTS as THIRTEENTH_B
from .thirteenth_c import SUBJECTS as THIRTEENTH_C
from .thirtieth_a import SUBJECTS as THIRTIETH_A
from .thirtieth_b import SUBJECTS as THIRTIETH_B
from .thirtieth_c import SUBJECTS as THIRTIETH_C
from .thirty_eighth_a import SUBJECTS as THIRTY_EIGHTH_A
from .thirty_eighth_b import SUBJECTS as THIRTY_EIGHTH_B
from .thirty_eighth_c import SUBJECTS as THIRTY_EIGHTH_C
from .thirty_fifth_a import SUBJECTS as THIRTY_FIFTH_A
from .thirty_fifth_b import SUBJECTS as THIRTY_FIFTH_B
from .thirty_fifth_c import SUBJECTS as THIRTY_FIFTH_C
from .thirty_first_a import SUBJECTS as THIRTY_FIRST_A
from .thirty_first_b import SUBJECTS as THIRTY_FIRST_B
from .thirty_first_c import SUBJECTS as THIRTY_FIRST_C
from .thirty_fourth_a import SUBJECTS as THIRTY_FOURTH_A
from .thirty_fourth_b import SUBJECTS as THIRTY_FOURTH_B
from .thirty_fourth_c import SUBJECTS as THIRTY_FOURTH_C
from .thirty_ninth_a import SUBJECTS as THIRTY_NINTH_A
from .thirty_ninth_b import SUBJECTS as THIRTY_NINTH_B
from .thirty_ninth_c import SUBJECTS as THIRTY_NINTH_C
from .thirty_second_a import SUBJECTS as THIRTY_SECOND_A
from .thirty_second_b import SUBJECTS as THIRTY_SECOND_B
from .thirty_second_c import SUBJECTS as THIRTY_SECOND_C
from .thirty_seventh_a import SUBJECTS as THIRTY_SEVENTH_A
from .thirty_seventh_b import SUBJECTS as THIRTY_SEVENTH_B
from .thirty_seventh_c import SUBJECTS as THIRTY_SEVENTH_C
from .thirty_sixth_a import SUBJECTS as THIRTY_SIXTH_A
from .thirty_sixth_b import SUBJECTS as THIRTY_SIXTH_B
from .thirty_sixth_c import SUBJECTS as THIRTY_SIXTH_C
from .thirty_third_a import SUBJECTS as THIRTY_THIRD_A
from .thirty_third_b import SUBJECTS as THIRTY_THIRD_B
from .thirty_third_c import SUBJECTS as THIRTY_THIRD_C
from .twelfth_a import SUBJECTS as TWELFTH_A
from .twelfth_b import SUBJECTS as TWELFTH_B
from .twelfth_c import SUBJECTS as TWELFTH_C
from .twentieth_a import SUBJECTS as TWENTIETH_A
from .twentieth_b import SUBJECTS as TWENTIETH_B
from .twentieth_c import SUBJECTS as TWENTIETH_C
from .twentieth_e import SUBJECTS as TWENTIETH_E
from .twentieth_g import SUBJECTS as TWENTIETH_G
from .twentieth_h import SUBJECTS as TWENTIETH_H
from .twenty_eighth_a import SUBJECTS as TWENTY_EIGHTH_A
from .twenty_eighth_b import SUBJECTS as TWENTY_EIGHTH_B
from .twenty_eighth_c import SUBJECTS as TWENTY_EIGHTH_C
from .twenty_fifth_a import SUBJECTS as TWENTY_FIFTH_A
from .twenty_fifth_b import SUBJECTS as TWENTY_FIFTH_B
from .twenty_fifth_c import SUBJECTS as TWENTY_FIFTH_C
from .twenty_first_a import SUBJECTS as TWENTY_FIRST_A
from .twenty_first_b import SUBJECTS as TWENTY_FIRST_B
from .twenty_first_c import SUBJECTS as TWENTY_FIRST_C
from .twenty_first_e import SUBJECTS as TWENTY_FIRST_E
from .twenty_first_g import SUBJECTS as TWENTY_FIRST_G
from .twenty_fourth_a import SUBJECTS as TWENTY_FOURTH_A
from .twenty_fourth_b import SUBJECTS as TWENTY_FOURTH_B
from .twenty_fourth_c import SUBJECTS as TWENTY_FOURTH_C
from .twenty_fourth_g import SUBJECTS as TWENTY_FOURTH_G
from .twenty_ninth_a import SUBJECTS as TWENTY_NINTH_A
from .twenty_ninth_b import SUBJECTS as TWENTY_NINTH_B
from .twenty_ninth_c import SUBJECTS as TWENTY_NINTH_C
from .twenty_second_a import SUBJECTS as TWENTY_SECOND_A
from .twenty_second_b import SUBJECTS as TWENTY_SECOND_B
from .twenty_second_c import SUBJECTS as TWENTY_SECOND_C
from .twenty_seventh_a import SUBJECTS as TWENTY_SEVENTH_A
from .twenty_seventh_b import SUBJECTS as TWENTY_SEVENTH_B
from .twenty_seventh_c import SUBJECTS as TWENTY_SEVENTH_C
from .twenty_sixth_a import SUBJECTS as TWENTY_SIXTH_A
from .twenty_sixth_b import SUBJECTS as TWENTY_SIXTH_B
from .twenty_sixth_c import SUBJECTS as TWENTY_SIXTH_C
from .twenty_third_a import SUBJECTS as TWENTY_THIRD_A
from .twenty_third_b import SUBJECTS as TWENTY_THIRD_B
from .twenty_third_c import SUBJECTS as TWENTY_THIRD_C
from .twenty_third_g import SUBJECTS as TWENTY_THIRD_G
from .twenty_third_h import SUBJECTS as TWENTY_THIRD_H

SUBJECTS = [*FUNCTIONS, *BOOKS, *OBJECTS, *MODULES, *SECOND_LAYERS, *SECOND_COURSES]
SUBJECTS += [*THIRD_LAYERS, *THIRD_MODELS, *FOURTH_LAYERS, *FOURTH_MODELS]
SUBJECTS += [*FIFTH_LAYERS, *FIFTH_MODELS]
SUBJECTS += [*SIXTH_LAYERS, *SIXTH_MODELS]
SUBJECTS += [*SEVENTH_LAYERS, *SEVENTH_MODELS]
SUBJECTS += [*EIGHTH_LAYERS, *EIGHTH_MODELS]
SUBJECTS += NINTH
SUBJECTS += [*TENTH_A, *TENTH_B, *TENTH_C, *TENTH_D, *TENTH_E]
SUBJECTS += [*ELEVENTH_A, *ELEVENTH_B, *ELEVENTH_C]
SUBJECTS += [*TWELFTH_A, *TWELFTH_B, *TWELFTH_C]
SUBJECTS += [*THIRTEENTH_A, *THIRTEENTH_B, *THIRTEENTH_C]
SUBJECTS += [*FOURTEENTH_A, *FOURTEENTH_B, *FOURTEENTH_C]
SUBJECTS += [*FIFTEENTH_A, *FIFTEENTH_B, *FIFTEENTH_C]
SUBJECTS += [*SIXTEENTH_A, *SIXTEENTH_B, *SIXTEENTH_C]
SUBJECTS += [*SEVENTEENTH_A, *SEVENTEENTH_B, *SEVENTEENTH_C, *SEVENTEENTH_D]
SUBJECTS += [*EIGHTEENTH_A, *EIGHTEENTH_B, *EIGHTEENTH_C, *EIGHTEENTH_E, *EIGHTEENTH_F]
SUBJECTS += [*NINETEENTH_A, *NINETEENTH_B, *NINETEENTH_C, *NINETEENTH_E, *NINETEENTH_G, *NINETEENTH_H]
SUBJECTS += [*TWENTIETH_A, *TWENTIETH_B, *TWENTIETH_C, *TWENTIETH_E, *TWENTIETH_G, *TWENTIETH_H]
SUBJECTS += [*TWENTY_FIRST_A, *TWENTY_FIRST_B, *TWENTY_FIRST_C, *TWENTY_FIRST_E, *TWENTY_FIRST_G]
SUBJECTS += [*TWENTY_SECOND_A, *TWENTY_SECOND_B, *TWENTY_SECOND_C]
SUBJECTS += [*TWENTY_THIRD_A, *TWENTY_THIRD_B, *TWENTY_THIRD_C, *TWENTY_THIRD_G, *TWENTY_THIRD_H]
SUBJECTS += [*TWENTY_FOURTH_A, *TWENTY_FOURTH_B, *TWENTY_FOURTH_C, *TWENTY_FOURTH_G]
SUBJECTS += [*TWENTY_FIFTH_A, *TWENTY_FIFTH_B, *TWENTY_FIFTH_C]
SUBJECTS += [*TWENTY_SIXTH_A, *TWENTY_SIXTH_B, *TWENTY_SIXTH_C]
SUBJECTS += [*TWENTY_SEVENTH_A, *TWENTY_SEVENTH_B, *TWENTY_SEVENTH_C]
SUBJECTS += [*TWENTY_EIGHTH_A, *TWENTY_EIGHTH_B, *TWENTY_EIGHTH_C]
SUBJECTS += [*TWENTY_NINTH_A, *TWENTY_NINTH_B, *TWENTY_NINTH_C]
SUBJECTS += [*THIRTIETH_A, *THIRTIETH_B, *THIRTIETH_C]
SUBJECTS += [*THIRTY_FIRST_A, *THIRTY_FIRST_B, *THIRTY_FIRST_C]
SUBJECTS += [*THIRTY_SECOND_A, *THIRTY_SECOND_B, *THIRTY_SECOND_C]
SUBJECTS += [*THIRTY_THIRD_A, *THIRTY_THIRD_B, *THIRTY_THIRD_C]
SUBJECTS += [*THIRTY_FOURTH_A, *THIRTY_FOURTH_B, *THIRTY_FOURTH_C]
SUBJECTS += [*THIRTY_FIFTH_A, *THIRTY_FIFTH_B, *THIRTY_FIFTH_C]
SUBJECTS += [*THIRTY_SIXTH_A, *THIRTY_SIXTH_B, *THIRTY_SIXTH_C]
SUBJECTS += [*THIRTY_SEVENTH_A, *THIRTY_SEVENTH_B, *THIRTY_SEVENTH_C]
SUBJECTS += [*THIRTY_EIGHTH_A, *THIRTY_EIGHTH_B, *THIRTY_EIGHTH_C]
SUBJECTS += [*THIRTY_NINTH_A, *THIRTY_NINTH_B, *THIRTY_NINTH_C]
