"""Looking into recurrent networks: functions of arrays and cells, each with a result that can be checked by hand.

`tinyrnn.gallery` has a picture and a command for each.
"""
